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
            action.log.update { $0.setOpen(isOpen, action, at: action.services.time) }
        case .element(let execution, let element): yielded(element, execution)
        case .ended(let execution, let end): ended(execution.id, end, at: action.services.time)
        case .refused:
            // `Host.submit` publishes it, with the reason at that moment.
            break
        case .conditionFailed(let error):
            let message = String(describing: error)
            action.log.update { $0.conditionFailed(message, of: action, at: action.services.time) }
        }
    }

    private func queued(_ execution: Execution<RawJSON>, at time: Int64) {
        let (hosted, cancellation) = action.log.update { $0.didQueue(execution, of: action, at: time) }
        hosted?.storeQueued()
        if let cancellation { execution.cancel(cancellation) }
    }

    private func started(_ execution: Execution<RawJSON>, at time: Int64) {
        let (hosted, cancellation, waited) = action.log.update { $0.didStart(execution, of: action, at: time) }
        guard let hosted else { return }
        hosted.storeStart(waited: waited, at: time)
        if let cancellation { execution.cancel(cancellation) }
        if let limit = hosted.timeout { hosted.startTimer(limit) }
    }

    func yielded(_ element: RawJSON, _ execution: Execution<RawJSON>) {
        let (observers, readers) = action.log.update {
            $0.didYield(element, execution.id, of: action, at: action.services.time)
        }
        for reader in readers { reader() }
        observers.forEach { $0.take(element) }
        action.services.elementListeners.notify(action.name, element)
    }

    /// The end of an execution, which may not have come to the gate yet.
    func ended(_ id: ExecutionID, _ end: ExecutionEnd, at time: Int64) {
        let ended = action.log.update { $0.didEnd(id, end, of: action, at: time) }
        let (hosted, error, observers): (HostedExecution, ExecutionError?, [ExecutionObserver])
        switch ended {
        case .unknown: return
        case .mustStoreFirst(let execution, let error):
            // It counts as queued until nothing can start it again; nothing of its action depends on its end.
            return execution.storeEndFirst(error, at: time) { self.ended(id, end, at: time) }
        case .ended(let ended, let failure, let all, let readers):
            (hosted, error, observers) = (ended, failure, all)
            for reader in readers { reader() }
        }
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
            let input = action.log.record(of: hosted).input?.utf8.count ?? 0
            for other in keys.ended(hosted, bytes: cost + input + (kept?.cost ?? 0)) { other.dropRecording() }
        }
        for observer in idle { observer.call() }
    }
}
