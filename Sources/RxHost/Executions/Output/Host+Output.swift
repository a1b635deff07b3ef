public import RxAction
public import RxRecords
public import RxStore
public import Rx

extension Host {
    /// What is kept of the output of an execution: in flight, ended lately, or from the history.
    ///
    /// - Parameters:
    ///   - id: the execution.
    ///   - user: the requesting user; nil for the daemon.
    ///   - completion: called once, on this thread or on a queue of the store; with nil if nothing is kept.
    public func output(
        of id: ExecutionID, for user: UInt32? = nil,
        completion: @escaping @Sendable (Result<KeptOutput?, StoreError>) -> Void
    ) {
        if let now = log.read({ $0.output(of: id) }) { return completion(.success(now.kept())) }
        guard let store else { return completion(.success(nil)) }
        store.output(of: id, for: user, completion: completion)
    }

    /// The output of an execution in flight, or of one whose end the store does not have yet; nil for others.
    public func outputInMemory(of id: ExecutionID) -> KeptOutput? { log.read { $0.output(of: id) }?.kept() }

    /// Whether output of an action's executions is kept, as it is configured now; true for one that is not configured.
    public func keepsOutput(of action: String) -> Bool {
        guard let store, store.retention.output > 0 else { return false }
        return registry[action]?.definition.keepsHistory ?? true
    }

    /// Calls `body` once, on any thread, when an execution has more output than `position`, or has ended.
    ///
    /// - Parameters:
    ///   - execution: the execution.
    ///   - position: what the caller has.
    ///   - body: the function to call.
    /// - Returns: ends the wait when it is disposed; nil if there is nothing to wait for, and `body` is not called.
    public func whenOutput(
        of execution: HostedExecution, after position: OutputPosition, _ body: @escaping @Sendable () -> Void
    ) -> (any Disposable)? {
        guard let output = execution.output else { return nil }
        let token = log.update { _ in
            execution.record.state.isFinal ? nil : output.wait(after: position, body)
        }
        guard let token else { return nil }
        return Disposables.create { [log] in log.update { _ in output.removeReader(token) } }
    }
}

extension HostState {
    /// The output of an execution in flight, or of one whose end the store does not have yet.
    fileprivate func output(of id: ExecutionID) -> OutputSnapshot? {
        outputs.ended(id)
            ?? executionInFlight(id).flatMap { execution in
                execution.record.state.isFinal ? nil : execution.output?.now(isOver: false)
            }
    }
}
