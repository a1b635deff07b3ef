/// Every error code that crosses the wire: JSON-RPC's own and rxd's.
///
/// The `data.name` of an error is its `name`, which clients should compare; JSON-RPC requires the number.
public enum ErrorCode: Int, Sendable, CaseIterable {
    /// The line is not JSON. JSON-RPC defines this code and the next four.
    case parseError = -32700
    /// The line is JSON, but not a request of JSON-RPC 2.0.
    case invalidRequest = -32600
    /// The daemon has no such method.
    case methodNotFound = -32601
    /// The params are not what the method takes, or the configuration is faulty (`server.reload`).
    case invalidParams = -32602
    /// The daemon failed, such as at writing to its disk.
    case internalError = -32603

    /// The work of an execution, a reactor, or a stream failed.
    case workFailed = -32001
    /// The action, or the stream, is not enabled; `data.reason` is the cause.
    case notEnabled = -32002
    /// The action's queue has no room.
    case queueFull = -32003
    /// The work, or the wait of `execution.wait`, took longer than its limit.
    case timedOut = -32004
    /// The execution was canceled, or a later one took its place.
    case cancelled = -32005
    /// No such action, reactor, stream, execution, subscription, path, or revision.
    case notFound = -32006
    /// The client lacks the right to do this.
    case forbidden = -32007
    /// The client, or the daemon, has reached a limit.
    case limitReached = -32008
    /// The client already has a subscription of this name.
    case duplicateSubscription = -32009
    /// The daemon lacks a feature, or the protocol version, that the client requires.
    case featureMissing = -32013
    /// Some events after the cursor are no longer kept, or it belongs to an earlier daemon.
    case cursorExpired = -32014
    /// The daemon is stopping and accepts nothing new.
    case shuttingDown = -32015
    /// A message, input, or state is larger than its limit.
    case tooLarge = -32021

    /// The stable name.
    public var name: String {
        switch self {
        case .parseError: "parseError"
        case .invalidRequest: "invalidRequest"
        case .methodNotFound: "methodNotFound"
        case .invalidParams: "invalidParams"
        case .internalError: "internalError"
        case .workFailed: "workFailed"
        case .notEnabled: "notEnabled"
        case .queueFull: "queueFull"
        case .timedOut: "timedOut"
        case .cancelled: "cancelled"
        case .notFound: "notFound"
        case .forbidden: "forbidden"
        case .limitReached: "limitReached"
        case .duplicateSubscription: "duplicateSubscription"
        case .featureMissing: "featureMissing"
        case .cursorExpired: "cursorExpired"
        case .shuttingDown: "shuttingDown"
        case .tooLarge: "tooLarge"
        }
    }

    /// The meaning of the code, for `message` if nothing more specific is known.
    public var meaning: String {
        switch self {
        case .parseError: "the line is not JSON"
        case .invalidRequest: "not a JSON-RPC 2.0 request"
        case .methodNotFound: "no such method"
        case .invalidParams: "the params are refused"
        case .internalError: "the daemon failed"
        case .workFailed: "the work failed"
        case .notEnabled: "the action is not enabled"
        case .queueFull: "the action's queue is full"
        case .timedOut: "the work timed out"
        case .cancelled: "the execution was canceled"
        case .notFound: "no such thing"
        case .forbidden: "not allowed"
        case .limitReached: "a limit is reached"
        case .duplicateSubscription: "the subscription's name is taken"
        case .featureMissing: "a required feature is missing"
        case .cursorExpired: "the cursor is too old"
        case .shuttingDown: "the daemon is stopping"
        case .tooLarge: "too large"
        }
    }

    /// The code with a name; nil if there is none.
    public init?(name: some StringProtocol) {
        guard let code = ErrorCode.allCases.first(where: { $0.name == name }) else { return nil }
        self = code
    }
}
