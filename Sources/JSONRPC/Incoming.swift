public import RxJSON

/// A call of a method. Lives as long as the text it was read from.
public struct Request {
    /// Nil makes it a notification, which is never answered; `RequestID.null` is an id, and is.
    public let id: RequestID?
    public let method: String
    /// An object or an array, if there.
    public let params: JSONView?

    @inlinable
    public init(id: RequestID?, method: String, params: JSONView?) {
        self.id = id
        self.method = method
        self.params = params
    }
}

/// What a text turned out to be.
public enum Incoming {
    case request(Request)
    case response(id: RequestID, result: JSONView)
    /// The id is nil if the other side could not tell which request it was.
    case failure(id: RequestID?, RPCError)
    /// At least one message, none of them a batch.
    case batch([Incoming])
    /// To be answered with this error, unless one never answers, as a client does.
    case invalid(id: RequestID, RPCError)
    /// A notification with faulty params, which must not be answered.
    case ignored(RPCError)
}
