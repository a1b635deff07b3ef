/// Every error code that crosses the wire: JSON-RPC's own and rxd's.
///
/// The `data.name` of an error is its `name`, which clients should compare; JSON-RPC requires the number.
public enum ErrorCode: Int, Sendable, CaseIterable {
    case parseError = -32700
    case invalidRequest = -32600
    case methodNotFound = -32601
    case invalidParams = -32602
    case internalError = -32603

    case workFailed = -32001
    case notEnabled = -32002
    case queueFull = -32003
    case timedOut = -32004
    case cancelled = -32005
    case notFound = -32006
    case forbidden = -32007
    case limitReached = -32008
    case duplicateSubscription = -32009
    case featureMissing = -32013
    case cursorExpired = -32014
    case shuttingDown = -32015
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
        case .cancelled: "the execution was cancelled"
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
