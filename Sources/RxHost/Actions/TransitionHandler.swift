internal import RxRecords
internal import Rx
internal import RxAction
internal import RxJSON

/// Turns the transitions of an action's gate into levels, events, records, and rows of the store. Called in the gate's
/// order, never with a lock held.
struct TransitionHandler {
    let action: HostedAction
    let keys: ExecutionKeys

    func handle(_ transition: ActionTransition<RawJSON>) {
        switch transition {
        case .queued(let execution): queued(execution, at: action.services.time)
        case .started(let execution): started(execution, at: action.services.time)
        case .executing(let executing):
            let idle = action.log.update { $0.setExecuting(executing, of: action, at: action.services.time) }
            for observer in idle { observer.call() }
        case .enabled(let isOpen):
            action.log.update { state in
                action.levels.setOpen(isOpen)
                action.updateEnabled(&state, at: action.services.time)
            }
        case .element(let execution, let element): yielded(element, execution)
        case .ended(let execution, let end): ended(execution.id, end, at: action.services.time)
        case .refused:
            // `Host.submit` publishes it, with the reason at that moment.
            break
        case .conditionFailed(let error):
            let message = String(describing: error)
            action.log.update { state in
                action.levels.conditionFailed(message)
                _ = state.publish(.conditionFailure(message), of: action, at: action.services.time)
            }
        }
    }

    /// With the log's lock held. Mostly there is one execution in flight, and it is the one.
    private func find(_ id: ExecutionID, in state: HostState) -> HostedExecution? {
        if let last = action.levels.inFlight.last, last.id == id { return last }
        return state.executionInFlight(id)
    }

    private func queued(_ execution: Execution<RawJSON>, at time: Int64) {
        let (hosted, cancellation) = action.log.update { state -> (HostedExecution?, (any Error)?) in
            guard let hosted = state.executionInFlight(execution.id) else { return (nil, nil) }
            hosted.execution = execution
            action.levels.queue()
            state.publish(.execution(hosted.record), of: action, execution: hosted, at: time)
            return (hosted, hosted.pendingCancellation)
        }
        hosted?.storeQueued()
        if let cancellation { execution.cancel(cancellation) }
    }

    private func started(_ execution: Execution<RawJSON>, at time: Int64) {
        let (hosted, cancellation, waited) = action.log.update { state -> (HostedExecution?, (any Error)?, Bool) in
            guard let hosted = state.executionInFlight(execution.id) else { return (nil, nil, false) }
            let waited = hosted.execution != nil
            hosted.start(execution, at: time)
            action.levels.start(hosted, wasQueued: waited)
            state.publish(.execution(hosted.record), of: action, execution: hosted, at: time)
            return (hosted, hosted.pendingCancellation, waited)
        }
        guard let hosted else { return }
        hosted.storeStart(waited: waited, at: time)
        if let cancellation { execution.cancel(cancellation) }
        if let limit = hosted.timeout { hosted.startTimer(limit) }
    }

    func yielded(_ element: RawJSON, _ execution: Execution<RawJSON>) {
        let (observers, readers) = action.log.update { state -> (ObserverQueue, [@Sendable () -> Void]) in
            guard let hosted = find(execution.id, in: state) else { return (ObserverQueue(), []) }
            hosted.record.elements += 1
            let event = state.publish(.element(element), of: action, execution: hosted, at: action.services.time)
            hosted.recording.add(event, total: &state.recordedBytes)
            hosted.observers.collect(element)
            let isAwaited = hosted.keep(element, number: event.cursor, time: event.time, in: &state.outputs)
            return (hosted.observers.ofEvents, isAwaited ? hosted.output?.takeReaders() ?? [] : [])
        }
        for reader in readers { reader() }
        observers.forEach { $0.take(element) }
        action.services.elementListeners.notify(action.name, element)
    }

    /// The end of an execution, which may not have come to the gate yet.
    func ended(_ id: ExecutionID, _ end: ExecutionEnd, at time: Int64) {
        let (hosted, error, observers, readers, mustStoreFirst) = action.log.update {
            state -> (HostedExecution?, ExecutionError?, [ExecutionObserver], [@Sendable () -> Void], Bool) in
            guard let hosted = find(id, in: state) else { return (nil, nil, [], [], false) }
            let error = hosted.error(of: end)
            if hosted.mustStoreEndFirst(error) { return (hosted, error, [], [], true) }
            // An execution that was canceled while it was queued never started.
            let hadStarted = hosted.record.startedAt != nil
            hosted.record.end(error, at: time)
            state.publishEnd(of: hosted, error, at: time)
            if hosted.execution != nil { action.levels.end(hosted, hadStarted: hadStarted) }
            hosted.execution = nil
            let readers = hosted.output?.end(total: &state.outputs.cost) ?? []
            return (hosted, error, hosted.observers.removeAll(), readers, false)
        }
        guard let hosted else { return }
        if mustStoreFirst {
            // It counts as queued until nothing can start it again; nothing of its action depends on its end.
            return hosted.storeEndFirst(error, at: time) { ended(id, end, at: time) }
        }
        for reader in readers { reader() }
        hosted.stopTimer()
        hosted.storeEnd()
        // Before the execution leaves those in flight, so that a host that waits to be idle has called every observer.
        for observer in observers { observer.end(error) }
        if let onEnd = action.services.onEnd, hosted.definition.value.logsEnds {
            let record = action.log.record(of: hosted)
            if !record.isPostponed { onEnd(record) }
        }
        let kept = error?.shortened(to: ExecutionRecord.errorBytesKept)
        let idle = action.log.update { $0.finish(hosted, keeping: kept) }
        if let cost = hosted.retireRecording() {
            for other in keys.ended(hosted, elementBytes: cost) { other.dropRecording() }
        }
        for observer in idle { observer.call() }
    }
}
