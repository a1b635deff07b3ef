internal import Rx
internal import RxAction
internal import RxJSON

// What an execution does, and what of it is kept.

extension HostedExecution {
    /// Its work, tried as often as its definition says, where that says.
    func work(_ context: WorkContext) -> Observable<RawJSON> {
        // Under the lock: a cancellation from elsewhere may end the execution at this moment.
        let input = action.log.change { _ in self.input }
        let definition = definition.value
        let work = attempts(input, context)
        let kept = durability?.afterStart(work) ?? work
        switch definition.scheduler {
        case .inline: return kept
        case .serial: return kept.subscribe(on: action.scheduler)
        }
    }

    private func attempts(_ input: RawJSON, _ context: WorkContext) -> Observable<RawJSON> {
        let definition = definition.value
        let attempt: @Sendable (Int) -> Observable<RawJSON> = { [self] number in
            let invocation = Invocation(
                action: action.name, input: input, context: context, flow: flow, attempt: number)
            switch definition.scheduler {
            case .inline: return definition.work(invocation)
            case .serial: return Observable.deferred { definition.work(invocation) }
            }
        }
        guard let policy = definition.retry else { return attempt(1) }
        return RetriedWork(
            policy: policy, context: context, scheduler: action.scheduler, attempt: attempt,
            note: { [self] number, error, delay in
                action.services.onRetry?(
                    RetryNote(
                        record: action.log.record(of: self), attempt: number, attempts: policy.attempts,
                        error: String(describing: error), delay: delay))
            }
        ).observable()
    }

    // MARK: What is kept

    private var isStored: Bool { durability != nil || definition.value.keepsHistory }

    /// It waits its turn.
    func keepAcceptance() {
        guard isStored, !wasStored, let store = action.services.store else { return }
        let (record, input) = action.log.change { _ in (self.record, self.input) }
        store.accepted(
            record, durableInput: durability == nil ? nil : input, timeout: timeout, key: key,
            completion: durability?.accepted)
    }

    func keepStart(waited: Bool, at time: Int64) {
        guard isStored, let store = action.services.store else { return }
        guard waited || wasStored else {
            let record = action.log.record(of: self)
            // Executing already: an earlier host's end makes it interrupted, and it need not be started again. On the
            // disk all the same, since its acceptance is told.
            store.accepted(
                record, durableInput: durability == nil ? nil : .null, timeout: timeout, key: key,
                completion: durability?.acceptedAndStarted)
            return
        }
        store.started(id, at: time, isDurable: durability != nil, completion: durability?.started)
    }

    func keepEnd() {
        guard isStored, let store = action.services.store else { return }
        let record = action.log.record(of: self)
        guard !startsAgain(record) else { return }
        store.ended(record, isKept: definition.value.keepsHistory)
    }

    /// Whether it waited when the daemon stopped: then it starts when that is back.
    func startsAgain(_ record: ExecutionRecord) -> Bool {
        guard case .stopped? = record.error else { return false }
        return record.startedAt == nil && durability != nil
    }

    // MARK: What others may join

    /// Lets the elements go when nobody can ask for them any more.
    func retireRecording() {
        let bytes = action.log.change { _ -> Int? in
            guard recording != nil else { return nil }
            if isKeyed { return recording?.bytes }
            if recordingHolds == 0 { recording = nil }
            return nil
        }
        guard let bytes else { return }
        for dropped in action.services.keys.ended(self, elementBytes: bytes) {
            action.log.change { _ in dropped.recording = nil }
        }
    }

    func holdRecording() {
        action.log.change { _ in recordingHolds += 1 }
    }

    func releaseRecording() {
        action.log.change { _ in
            recordingHolds -= 1
            if recordingHolds == 0, !isKeyed, record.state.isFinal { recording = nil }
        }
    }

    /// Lets `request` take part, and tells it what came before. Nil if that is no longer there: then it has ended.
    func attach(_ request: ExecutionRequest) -> (Attachment, ExecutionObserver?)? {
        let observer = request.observer.map { ExecutionObserver(isLive: false, $0) }
        let attachment = action.log.change { state -> Attachment? in
            let isFinal = record.state.isFinal
            // Of an ended one with a key at least the end is known.
            guard !isFinal || recording != nil || isKeyed else { return nil }
            if request.key != nil { isKeyed = true }
            if request.isWatched { watchers += 1 }
            if !isFinal {
                if let requester = request.requester { withdrawable.append(requester) } else { isDetached = true }
                if let observer { observers.append(observer) }
            }
            return self.attachment(state)
        }
        guard let attachment else { return nil }
        observer?.catchUp(attachment.past)
        return (attachment, observer)
    }

    /// For a watcher of a durable execution whose acceptance has just been kept.
    public func attachWatcher() -> Attachment {
        action.log.change { state in
            watchers += 1
            return self.attachment(state)
        }
    }

    /// With the log's lock held.
    private func attachment(_ state: EventLog.State) -> Attachment {
        let isFinal = record.state.isFinal
        let kept = recording?.attachment
        let failure = record.error.map { error in
            HostEvent(
                cursor: state.cursor, time: record.endedAt ?? record.queuedAt, action: action, execution: id,
                change: .failure(error))
        }
        let missing = record.elements - (kept?.events.count ?? 0)
        return Attachment(
            events: kept?.events ?? [],
            lost: kept?.lost ?? (missing > 0 ? Attachment.Lost(count: missing, first: 0, last: 0) : nil),
            cursor: state.cursor, end: isFinal ? record : nil, failure: failure)
    }
}

extension Attachment {
    fileprivate var past: [HostedExecution.Event] {
        let elements = events.compactMap { event -> HostedExecution.Event? in
            guard case .element(let element) = event.change else { return nil }
            return .element(element)
        }
        let start = lost.map { [HostedExecution.Event.lost($0.count)] } ?? []
        return start + elements + (end.map { [.ended($0.error)] } ?? [])
    }
}
