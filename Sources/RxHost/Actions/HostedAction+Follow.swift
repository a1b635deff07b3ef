internal import RxRecords
internal import Rx
internal import RxAction
internal import RxJSON

// What the gate does, turned into what clients see and what is kept. Called in order, never under a lock.

extension HostedAction {
    func follow(_ transition: ActionTransition<RawJSON>) {
        switch transition {
        case .queued(let execution): queued(execution, at: WallClock.milliseconds)
        case .started(let execution): started(execution, at: WallClock.milliseconds)
        case .executing(let executing):
            let idle = log.change { state in
                levels.executing = executing
                state.executingActions += executing ? 1 : -1
                state.publish(.executing(executing), of: self, at: WallClock.milliseconds)
                return levels.takeIdleObservers()
            }
            for observer in idle { observer.call() }
        case .enabled(let isOpen):
            log.change { state in
                levels.isOpen = isOpen
                updateEnabled(&state, at: WallClock.milliseconds)
            }
        case .element(let execution, let element): told(element, execution)
        case .ended(let execution, let end): ended(execution, end, at: WallClock.milliseconds)
        case .refused:
            // `Host.submit` tells it, with the reason at that moment.
            break
        case .conditionFailed(let error):
            log.change { state in
                levels.conditionError = String(describing: error)
                state.publish(.conditionFailure(String(describing: error)), of: self, at: WallClock.milliseconds)
            }
        }
    }

    /// With the log's lock held. Mostly there is one in flight, and it is the one.
    private func find(_ id: ExecutionID, in state: EventLog.State) -> HostedExecution? {
        if let last = levels.inFlight.last, last.id == id { return last }
        return state.inFlight[id]
    }

    private func queued(_ execution: Execution<RawJSON>, at time: Int64) {
        let (hosted, cancellation) = log.change { state -> (HostedExecution?, (any Error)?) in
            guard let hosted = state.inFlight[execution.id] else { return (nil, nil) }
            hosted.execution = execution
            levels.queued += 1
            state.publish(.execution(hosted.record), of: self, execution: hosted, at: time)
            return (hosted, hosted.pendingCancellation)
        }
        hosted?.keepAcceptance()
        if let cancellation { execution.cancel(cancellation) }
    }

    private func started(_ execution: Execution<RawJSON>, at time: Int64) {
        let (hosted, cancellation, waited) = log.change { state -> (HostedExecution?, (any Error)?, Bool) in
            guard let hosted = state.inFlight[execution.id] else { return (nil, nil, false) }
            let waited = hosted.execution != nil
            if waited { levels.queued -= 1 }
            hosted.execution = execution
            hosted.record.state = .executing
            hosted.record.startedAt = time
            levels.inFlight.append(hosted)
            state.publish(.execution(hosted.record), of: self, execution: hosted, at: time)
            return (hosted, hosted.pendingCancellation, waited)
        }
        guard let hosted else { return }
        hosted.keepStart(waited: waited, at: time)
        if let cancellation { execution.cancel(cancellation) }
        if let limit = hosted.timeout { hosted.startTimer(limit) }
    }

    private func told(_ element: RawJSON, _ execution: Execution<RawJSON>) {
        let observers = log.change { state -> [ExecutionObserver] in
            guard let hosted = find(execution.id, in: state) else { return [] }
            hosted.record.elements += 1
            let event = state.publish(
                .element(element), of: self, execution: hosted, at: WallClock.milliseconds)
            if hosted.recording != nil { hosted.recording?.add(event, total: &state.recordedBytes) }
            return hosted.observers
        }
        for observer in observers { observer.take(.element(element)) }
        services.elementListeners.tell(name, element)
    }

    private func ended(_ execution: Execution<RawJSON>, _ end: ExecutionEnd, at time: Int64) {
        let (hosted, error, observers, isKeptFirst) = log.change {
            state -> (HostedExecution?, ExecutionError?, [ExecutionObserver], Bool) in
            guard let hosted = find(execution.id, in: state) else { return (nil, nil, [], false) }
            let error = hosted.meaning(of: end)
            if hosted.mustKeepEndFirst(error) { return (hosted, error, [], true) }
            // One that was cancelled while it waited never left the line for the flight.
            if hosted.record.startedAt == nil { levels.queued -= 1 }
            hosted.record.state = error?.state ?? .completed
            hosted.record.error = error
            hosted.record.endedAt = time
            if let error { state.publish(.failure(error), of: self, execution: hosted, at: time) }
            state.publish(.execution(hosted.record), of: self, execution: hosted, at: time)
            levels.inFlight.removeAll { $0 === hosted }
            let observers = hosted.observers
            hosted.observers = []
            hosted.execution = nil
            return (hosted, error, observers, false)
        }
        guard let hosted else { return }
        if isKeptFirst {
            // It counts as waiting until nothing can start it again; nothing of its action depends on its end.
            return hosted.keepEndFirst(error, at: time) { [self] in ended(execution, end, at: time) }
        }
        hosted.stopTimer()
        hosted.keepEnd()
        // Last, so that a host that waits to be idle has told everyone first.
        for observer in observers { observer.take(.ended(error)) }
        if let onEnd = services.onEnd, hosted.definition.value.scheduler != .inline {
            let record = log.record(of: hosted)
            if !record.isPostponed { onEnd(record) }
        }
        let kept = error?.shortened(to: ExecutionRecord.errorBytesKept)
        let idle = log.change { $0.end(hosted, keeping: kept) }
        hosted.retireRecording()
        for observer in idle { observer.call() }
    }

    /// Publishes `enabled` if it or its cause changed. Called with the log's lock held.
    func updateEnabled(_ state: inout EventLog.State, at time: Int64) {
        let reason: DisabledReason? =
            if state.isStopping {
                .stopping
            } else if let manual = levels.manual {
                .manual(manual)
            } else if let unmet = levels.unmet {
                .unmet(unmet)
            } else if levels.isOpen {
                nil
            } else if let first = levels.inFlight.first {
                .executing(first.id, since: first.record.startedAt ?? first.record.queuedAt, by: first.record.by)
            } else {
                .condition(error: levels.conditionError)
            }
        guard reason != levels.enabled.reason else { return }
        levels.enabled = Enabled(reason: reason)
        state.publish(.enabled(levels.enabled), of: self, at: time)
    }
}
