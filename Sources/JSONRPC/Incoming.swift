public import RxJSON

/// A call of a method. Lives as long as the text it was read from.
public struct Request {
    /// Nil makes it a notification, which is never answered; `RequestID.null` is an id, and is.
    public let id: RequestID?
    private let name: JSONView
    /// An object or an array, if there.
    public let params: JSONView?

    /// `name` must be a string.
    init(id: RequestID?, name: JSONView, params: JSONView?) {
        self.id = id
        self.name = name
        self.params = params
    }

    public var method: String { name.string ?? "" }

    /// Whether it is this method that is called, without making a string of its name.
    public func calls(_ method: StaticString) -> Bool { name.equals(method) }
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
