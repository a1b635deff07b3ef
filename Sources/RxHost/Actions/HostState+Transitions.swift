internal import RxAction
internal import RxJSON
internal import RxRecords

/// What the transitions of an action's gate mean for the levels, the record, and the events.
extension HostState {
    /// An execution waits for its turn.
    ///
    /// - Returns: the execution, and why it was canceled before; nil if it is not in flight.
    mutating func didQueue(
        _ execution: Execution<RawJSON>, of action: HostedAction, at time: Int64
    ) -> (HostedExecution?, cancellation: (any Error)?) {
        guard let hosted = executionInFlight(execution.id) else { return (nil, nil) }
        hosted.execution = execution
        action.levels.queue()
        publish(.execution(hosted.record), of: action, execution: hosted, at: time)
        return (hosted, hosted.pendingCancellation)
    }

    /// The work of an execution starts.
    ///
    /// - Returns: the execution, why it was canceled before, and whether it has waited; nil if it is not in flight.
    mutating func didStart(
        _ execution: Execution<RawJSON>, of action: HostedAction, at time: Int64
    ) -> (HostedExecution?, cancellation: (any Error)?, waited: Bool) {
        guard let hosted = executionInFlight(execution.id) else { return (nil, nil, false) }
        let waited = hosted.execution != nil
        hosted.start(execution, at: time)
        action.levels.start(hosted, wasQueued: waited)
        publish(.execution(hosted.record), of: action, execution: hosted, at: time)
        return (hosted, hosted.pendingCancellation, waited)
    }

    /// The work of an execution has yielded an element.
    ///
    /// - Returns: what to call.
    mutating func didYield(
        _ element: RawJSON, _ id: ExecutionID, of action: HostedAction, at time: Int64
    ) -> (observers: ObserverQueue, readers: [@Sendable () -> Void]) {
        guard let hosted = find(id, of: action) else { return (ObserverQueue(), []) }
        hosted.record.elements += 1
        let event = publish(.element(element), of: action, execution: hosted, at: time)
        record(event, of: hosted)
        hosted.observers.collect(element)
        let isAwaited = keep(element, of: hosted, as: event)
        return (hosted.observers.ofEvents, isAwaited ? hosted.output?.takeReaders() ?? [] : [])
    }

    /// What became of the end of an execution.
    enum Ended: Sendable {
        /// It is not in flight.
        case unknown
        /// Nothing has changed: the store has to have the end before.
        case mustStoreFirst(HostedExecution, ExecutionError?)
        /// It has ended; its observers and the readers of its output are to be called.
        case ended(HostedExecution, ExecutionError?, [ExecutionObserver], [@Sendable () -> Void])
    }

    /// An execution ends, which may not have come to the gate yet.
    mutating func didEnd(_ id: ExecutionID, _ end: ExecutionEnd, of action: HostedAction, at time: Int64) -> Ended {
        guard let hosted = find(id, of: action) else { return .unknown }
        let error = hosted.error(of: end)
        if hosted.mustStoreEndFirst(error) { return .mustStoreFirst(hosted, error) }
        // An execution that was canceled while it was queued never started.
        let hadStarted = hosted.record.startedAt != nil
        hosted.record.end(error, at: time)
        publishEnd(of: hosted, error, at: time)
        if hosted.execution != nil { action.levels.end(hosted, hadStarted: hadStarted) }
        hosted.execution = nil
        let readers = endOutput(of: hosted)
        return .ended(hosted, error, hosted.observers.removeAll(), readers)
    }

    /// The gate takes input from now on, or no longer.
    mutating func setOpen(_ isOpen: Bool, _ action: HostedAction, at time: Int64) {
        action.levels.setOpen(isOpen)
        action.updateEnabled(&self, at: time)
    }

    /// The action's condition has failed.
    mutating func conditionFailed(_ message: String, of action: HostedAction, at time: Int64) {
        action.levels.conditionFailed(message)
        publish(.conditionFailure(message), of: action, at: time)
    }

    /// Mostly there is one execution in flight, and it is the one.
    private func find(_ id: ExecutionID, of action: HostedAction) -> HostedExecution? {
        if let last = action.levels.inFlight.last, last.id == id { return last }
        return executionInFlight(id)
    }
}
