public import RxJSON

/// A method call or a notification. Valid only as long as the text it was read from.
public struct Request {
    /// The id to answer. nil for a notification, which is never answered; `RequestID.null` is an id and is answered.
    public let id: RequestID?
    private let name: JSONView
    /// The parameters, an object or an array; nil if absent.
    public let params: JSONView?

    /// `name` must be a string.
    init(id: RequestID?, name: JSONView, params: JSONView?) {
        self.id = id
        self.name = name
        self.params = params
    }

    /// The name of the method.
    public var method: String { name.string ?? "" }

    /// Whether the request calls `method`. Compares in place without creating a string.
    public func calls(_ method: StaticString) -> Bool { name.equals(method) }
}

/// The result of parsing one text.
public enum Incoming {
    /// A request or a notification.
    case request(Request)
    /// A success response.
    case response(id: RequestID, result: JSONView)
    /// An error response. The id is nil if the peer could not read the id of the request.
    case failure(id: RequestID?, RPCError)
    /// A batch of at least one message; contains no nested batch.
    case batch([Incoming])
    /// An invalid message. A server answers it with this error; a client does not answer.
    case invalid(id: RequestID, RPCError)
    /// A notification with invalid params, which must not be answered.
    case ignored(RPCError)
}
