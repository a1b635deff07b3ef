internal import RxHost
internal import RxJSON

extension WorkerStage {
    /// The stage of a reactor's fault at this stage of a worker.
    var reactorStage: ReactorFault.Stage {
        switch self {
        case .mutate: .mutate
        case .reduce: .reduce
        case .merge: .merge
        case .setup: .limit
        case .size: .size
        }
    }
}

extension WorkerEnd {
    /// The fault of the request during which a worker with these limits has ended.
    func fault(_ limits: JqLimits) -> ReactorFault {
        switch self {
        case .aborted(let stage): ReactorFault(stage.reactorStage, message(limits))
        case .renewed, .time, .memory, .signal, .status, .malformed: ReactorFault(.limit, message(limits))
        }
    }

    /// The reason for the end of a worker with these limits.
    func message(_ limits: JqLimits) -> String {
        switch self {
        case .renewed: "its worker is stuck"
        case .time: "took longer than \(limits.processorTime.rxText) of the processor"
        case .memory: "took more than \(limits.memory >> 20) MiB of memory"
        case .aborted: "jq aborted"
        case .signal(let number): "its worker was ended by signal \(number)"
        case .status(let status): "its worker ended with status \(status)"
        case .malformed: "its worker sent a malformed reply"
        }
    }
}

extension ReactorFault {
    /// The rules of a reactor refuse an action.
    ///
    /// - Parameters:
    ///   - text: the reason that the rule at `place` gives.
    ///   - place: nil if no rule takes the action.
    static func refusal(_ text: String, at place: ProgramPlace?) -> ReactorFault {
        var fault = ReactorFault(.mutate, place == nil ? "no rule takes it" : text, at: place)
        fault.isWithoutEffect = true
        fault.isRefusal = true
        return fault
    }

    static let stopping = ReactorFault(.stopped, "the reactor is stopping")

    /// The engine was stopped before it took the action up.
    static let notBegun = {
        var fault = stopping
        fault.isWithoutEffect = true
        return fault
    }()
}
