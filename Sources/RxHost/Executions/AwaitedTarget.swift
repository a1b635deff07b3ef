internal import RxJSON
public import RxAction
public import RxRecords

extension ExecutionRequest {
    /// What a request waits for the end of.
    public struct After: Sendable {
        /// The executions.
        public enum Target: Sendable {
            /// This one.
            case execution(HostedExecution)
            /// All that are in flight or queued when the request is accepted; not those that wait for a time.
            case action(HostedAction)
            /// This one, which has ended in this state.
            case past(ExecutionID, ExecutionState)
        }

        /// The executions.
        public let target: Target
        /// Whether the request is carried out only if all of them complete.
        public let ifCompleted: Bool

        /// Waits for the end of `target`.
        public init(_ target: Target, ifCompleted: Bool) {
            self.target = target
            self.ifCompleted = ifCompleted
        }
    }
}

extension ExecutionRequest.After {
    /// The executions to wait for. Those that have ended are among them only if they have to complete, and did not.
    /// With the log's lock held.
    func executions(_ state: HostState) -> [AwaitedExecution] {
        switch target {
        case .execution(let execution):
            let state = execution.record.state
            return state.isFinal ? past(execution.id, state) : [AwaitedExecution(execution)]
        case .past(let id, let state): return past(id, state)
        case .action(let action):
            return state.executionsInFlight.filter { $0.action === action && $0.isCounted }
                .sorted { $0.id < $1.id }.map { AwaitedExecution($0) }
        }
    }

    private func past(_ id: ExecutionID, _ state: ExecutionState) -> [AwaitedExecution] {
        ifCompleted && state != .completed ? [AwaitedExecution(id: id, execution: nil, end: state)] : []
    }
}

/// An execution that another one waits for.
struct AwaitedExecution: Sendable {
    let id: ExecutionID
    /// Nil if it has ended.
    let execution: HostedExecution?
    /// How it has ended, if that is known.
    let end: ExecutionState?

    init(id: ExecutionID, execution: HostedExecution?, end: ExecutionState?) {
        self.id = id
        self.execution = execution
        self.end = end
    }

    init(_ execution: HostedExecution) { self.init(id: execution.id, execution: execution, end: nil) }
}

extension WorkFailure {
    /// An execution does not start because the one before it did not complete.
    ///
    /// - Parameter state: how that one ended; nil if it is not known.
    init(unmet id: ExecutionID, _ state: ExecutionState?) {
        let end = state.map { "has ended as \($0.rawValue)" } ?? "has ended, and it is not known how"
        self.init(
            message: "not started: \(id), which had to complete before, \(end)",
            facts: ["cause": "after", "after": .string(id.description)], mayPass: false)
    }
}
