internal import RxStore
internal import RxRecords
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
        let (record, isAsked) = action.log.change { _ in (self.record, endKept != nil) }
        if !isAsked, !record.isPostponed { store.ended(record, isKept: definition.value.keepsHistory) }
    }

    /// Of a durable input that is withdrawn while it waits: otherwise a later host could start what somebody was told is
    /// withdrawn. With the log's lock held.
    func mustKeepEndFirst(_ error: ExecutionError?) -> Bool {
        guard durability != nil, record.startedAt == nil, endKept == nil, action.services.store != nil else {
            return false
        }
        if case .postponed? = error { return false }
        endKept = .asked
        return true
    }

    /// Calls `completion` once the store has the end, or cannot have it.
    func keepEndFirst(_ error: ExecutionError?, at time: Int64, completion: @escaping @Sendable () -> Void) {
        guard let store = action.services.store else { return completion() }
        var record = action.log.record(of: self)
        record.state = error?.state ?? .completed
        record.error = error
        record.endedAt = time
        store.ended(record, isKept: definition.value.keepsHistory) { [self] failure in
            if let failure { action.log.change { _ in endKept = .failed(failure) } }
            completion()
        }
    }

    /// What an end comes to: a durable input that waits when the daemon stops starts when that is back. With the log's lock
    /// held.
    func meaning(of end: ExecutionEnd) -> ExecutionError? {
        let error = ExecutionError(end)
        guard case .stopped? = error, record.startedAt == nil, durability != nil else { return error }
        return .postponed
    }

    // MARK: What others may join

    /// Lets the elements go when nobody can ask for them any more.
    func retireRecording() {
        let cost = action.log.change { state -> Int? in
            if isKeyed { return recording?.cost ?? 0 }
            if recordingHolds == 0 { dropRecording(&state) }
            return nil
        }
        guard let cost else { return }
        for dropped in action.services.keys.ended(self, elementBytes: cost) {
            action.log.change { dropped.dropRecording(&$0) }
        }
    }

    /// With the log's lock held.
    private func dropRecording(_ state: inout EventLog.State) {
        state.recordedBytes -= recording?.cost ?? 0
        recording = nil
    }

    func releaseRecording() {
        action.log.change { state in
            recordingHolds -= 1
            // Nobody but who waited for the acceptance could ask for the elements of one that no key means.
            if recordingHolds == 0, !isKeyed, record.state.isFinal || definition.value.overlap != .join {
                dropRecording(&state)
            }
        }
    }

    struct Admission {
        let attachment: Attachment
        let observer: ExecutionObserver?
        /// If the acceptance is to be waited for: then who watches attaches after that.
        let durability: Durability?
    }

    /// Lets `request` take part, and tells it what came before. Nil if that is no longer there: then it has ended, or
    /// its input was not accepted.
    func attach(_ request: ExecutionRequest) -> Admission? {
        let observer = request.observer.map { ExecutionObserver(isLive: false, $0) }
        let admission = action.log.change { state -> Admission? in
            let isFinal = record.state.isFinal
            // Of an ended one with a key at least the end is known.
            guard !isDismissed, !isFinal || recording != nil || isKeyed else { return nil }
            isJoined = true
            if request.key != nil { isKeyed = true }
            let unkept = isFinal ? nil : durability
            if unkept != nil {
                recordingHolds += 1
            } else if request.isWatched {
                watchers += 1
            }
            if !isFinal {
                if let requester = request.requester { withdrawable.append(requester) } else { isDetached = true }
                if let observer { observers.append(observer) }
            }
            return Admission(attachment: self.attachment(state), observer: observer, durability: unkept)
        }
        guard let admission else { return nil }
        observer?.catchUp(admission.attachment.past)
        return admission
    }

    /// Its input was refused, or accepted as part of another execution. Who has taken part in it meanwhile, which a key
    /// makes possible, is told that it has failed.
    func dismiss(own: ExecutionObserver?) {
        let time = WallClock.milliseconds
        let error = ExecutionError.failed(
            WorkFailure(message: "the input was not accepted", facts: ["cause": "refused"]))
        let others = action.log.change { state -> [ExecutionObserver] in
            isDismissed = true
            guard isJoined else { return [] }
            record.state = error.state
            record.error = error
            record.endedAt = time
            state.publish(.failure(error), of: action, execution: self, at: time)
            state.publish(.execution(record), of: action, execution: self, at: time)
            _ = state.end(self, keeping: error)
            defer { observers = [] }
            return observers.filter { $0 !== own }
        }
        for observer in others { observer.take(.ended(error)) }
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
                cursor: state.cursor, time: record.endedAt ?? record.queuedAt, source: action, execution: id,
                ordinal: 1, change: .failure(error))
        }
        let missing = record.elements - (kept?.events.count ?? 0)
        return Attachment(
            events: kept?.events ?? [],
            lost: kept?.lost ?? (missing > 0 ? Attachment.Lost(count: missing, first: 0, last: 0) : nil),
            cursor: state.cursor, end: isFinal ? record : nil, failure: failure,
            position: ReplayPosition(cursor: state.cursor, seen: [told]))
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

extension ExecutionRecord {
    var isPostponed: Bool {
        if case .postponed? = error { return true }
        return false
    }
}
