extension Method {
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
        case .actionCancel: .actionCancel
        case .actionForget: .actionForget
        case .executionList: .executionList
        case .executionGet: .executionGet
        case .executionCancel: .executionCancel
        case .executionOutput: .executionOutput
        case .executionWait: .executionWait
        case .reactorList: .reactorList
        case .reactorDescribe: .reactorDescribe
        case .reactorState: .reactorState
        case .reactorHistory: .reactorHistory
        case .reactorDispatch: .reactorDispatch
        case .streamList: .streamList
        case .streamDescribe: .streamDescribe
        case .streamSend: .streamSend
        case .streamFire: .streamFire
        case .streamEnable: .streamEnable
        case .streamDisable: .streamDisable
        case .subscribe: .subscribe
        case .unsubscribe: .unsubscribe
        }
    }
}
