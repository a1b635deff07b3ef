/// The methods of rx/1 that this release implements, in the order of the documentation.
///
/// The raw value is the name on the wire.
public enum Method: String, Sendable, CaseIterable {
    case rpcDiscover = "rpc.discover"
    case serverHello = "server.hello"
    case serverStatus = "server.status"
    case serverReload = "server.reload"
    case actionList = "action.list"
    case actionDescribe = "action.describe"
    case actionExecute = "action.execute"
    case actionCheck = "action.check"
    case actionEnable = "action.enable"
    case actionDisable = "action.disable"
    case executionList = "execution.list"
    case executionGet = "execution.get"
    case executionCancel = "execution.cancel"
    case executionWait = "execution.wait"
    case reactorList = "reactor.list"
    case reactorDescribe = "reactor.describe"
    case reactorState = "reactor.state"
    case reactorHistory = "reactor.history"
    case reactorDispatch = "reactor.dispatch"
    case subscribe = "subscribe"
    case unsubscribe = "unsubscribe"

    /// The name of `actionExecute`, for comparison in place without building a string: most requests call it.
    @inlinable
    public static var actionExecuteName: StaticString { "action.execute" }

    /// What the method takes, what it answers, and how it can fail.
    public var contract: MethodDescription {
        switch self {
        case .rpcDiscover: .rpcDiscover
        case .serverHello: .serverHello
        case .serverStatus: .serverStatus
        case .serverReload: .serverReload
        case .actionList: .actionList
        case .actionDescribe: .actionDescribe
        case .actionExecute: .actionExecute
        case .actionCheck: .actionCheck
        case .actionEnable: .actionEnable
        case .actionDisable: .actionDisable
        case .executionList: .executionList
        case .executionGet: .executionGet
        case .executionCancel: .executionCancel
        case .executionWait: .executionWait
        case .reactorList: .reactorList
        case .reactorDescribe: .reactorDescribe
        case .reactorState: .reactorState
        case .reactorHistory: .reactorHistory
        case .reactorDispatch: .reactorDispatch
        case .subscribe: .subscribe
        case .unsubscribe: .unsubscribe
        }
    }
}
