public import RxStore
public import RxRecords
public import RxAction
internal import RxJSON
internal import RxPlatform
public import Rx

/// One execution, its requesters, and its observers.
///
/// It stays in flight from its acceptance until its work is gone. A requester with a token can withdraw; when the last
/// requester has withdrawn, the execution is canceled. A requester without a token never withdraws.
// Unchecked: the event log's lock guards the mutable fields; the rest is constant.
public final class HostedExecution: @unchecked Sendable {
    /// The identity of the execution: a UUIDv7.
    public let id: ExecutionID
    /// The action that executes it.
    public let action: HostedAction
    /// What led to its first request.
    public let causes: Causes
    // Changed until it starts: see `ScheduledExecutions`.
    @exclusivity(unchecked) private(set) var definition: SharedDefinition
    @exclusivity(unchecked) private(set) var timeout: Duration?
    private let requestedTimeout: Duration?
    let key: ExecutionKey?
    /// The group of its input; nil for an action that had no groups when it was accepted.
    let group: String?
    /// For a requester that reads the execution's stream; nil for inline work.
    public let flow: Flow?
    /// Nil for an execution whose acceptance need not be stored: a crash may lose it.
    let durability: Durability?
    /// Nil for an execution that is not stored.
    private let storage: ExecutionStorage?
    private let timer = ExecutionTimer()

    // The lock keeps accesses from overlapping, too.
    @exclusivity(unchecked) var record: ExecutionRecord
    /// The number of its records that were published.
    @exclusivity(unchecked) var recordsPublished = 0
    /// The number of its first event; nil if that is of an earlier host, or not known.
    @exclusivity(unchecked) private(set) var firstRecord: UInt64?
    /// Whether the store has it from an earlier host.
    private let isResumed: Bool
    /// The number of its first event in this host that the store is to keep.
    @exclusivity(unchecked) var firstNumber: UInt64?
    /// The number of the event of its end; nil before that, and if `isPast`.
    @exclusivity(unchecked) var endNumber: UInt64?
    /// `published` as it was when the log began to leave events out for the `number`th time.
    @exclusivity(unchecked) private var skip: (number: UInt64, published: KindCounts) = (0, KindCounts())
    /// The number of readers that want its events kept for `EventLog.drain`.
    @exclusivity(unchecked) var watchers: Int
    /// Whether it waits for its time.
    @exclusivity(unchecked) private(set) var appointment: Appointment
    @exclusivity(unchecked) private var hasKeptAppointment = false
    private(set) var requesters: Requesters
    /// The gate's view of it, from its start or its place in the queue until its end.
    @exclusivity(unchecked) var execution: Execution<RawJSON>?
    /// The reason of a cancellation that came before `execution` was known.
    private(set) var pendingCancellation: (any Error)?
    @exclusivity(unchecked) var observers = ExecutionObservers()
    /// The input as it came, until the end.
    @exclusivity(unchecked) private(set) var input: RawJSON
    /// What is kept for the user at the origin, until the end; nil without a user.
    @exclusivity(unchecked) private var charge: MemoryCharge?
    @exclusivity(unchecked) var recording: SharedRecording
    /// The secrets of the input, which must not be kept, until the end; nil without any.
    @exclusivity(unchecked) private(set) var mask: SecretMask?
    /// Nil for an execution whose output is not kept.
    let output: RetainedOutput?
    /// `output`, which lives as long as this, without counting the references of each element.
    private let uncountedOutput: Unmanaged<RetainedOutput>?
    /// Whether only its record is known: it had ended before anyone asked for it.
    let isPast: Bool
    /// Whether an execution key refers to it.
    @exclusivity(unchecked) private(set) var isKeyed: Bool
    /// Whether its input was not accepted after all.
    private var isDismissed = false

    /// - Parameters:
    ///   - redaction: what is shown of the input; nil for all of it.
    ///   - observer: the request's; attached before others can find the execution by its key.
    ///   - isResumed: whether the store has it from an earlier host.
    ///   - waits: whether it waits for a time, or for the ends of others.
    ///   - charge: what is kept for the user at the origin.
    init(
        id: ExecutionID, action: HostedAction, definition: SharedDefinition, request: ExecutionRequest,
        key: ExecutionKey? = nil, group: String? = nil, durability: Durability? = nil,
        redaction: InputRedaction? = nil, observer: ExecutionObserver? = nil, isResumed: Bool = false,
        waits: Bool = false, charge: MemoryCharge? = nil, time: Int64
    ) {
        self.id = id
        self.action = action
        self.key = key
        self.group = group
        self.durability = durability
        self.isResumed = isResumed
        self.charge = charge
        causes = request.causes
        input = request.input
        self.definition = definition
        let value = definition.value
        requestedTimeout = request.timeout
        timeout = Self.timeout(request.timeout, value)
        appointment = waits ? .ahead : .none
        flow =
            switch value.scheduler {
            case .inline: nil
            case .serial: Flow()
            }
        storage = ExecutionStorage(
            action.services.store, value, durability, timeout: timeout, key: key, group: group,
            claim: request.claim, isResumed: isResumed)
        mask = redaction?.mask
        output = storage?.retainedOutput(without: mask)
        uncountedOutput = output.map { .passUnretained($0) }
        isPast = false
        record = ExecutionRecord(
            id: id, action: action.name, causes: request.causes, input: redaction?.shown ?? request.input,
            state: .queued,
            queuedAt: time, dueAt: request.dueAt, elements: 0)
        // An execution whose acceptance is stored first is watched from the moment that is reported.
        watchers = request.isWatched && durability == nil ? 1 : 0
        requesters = Requesters(request.requester)
        isKeyed = key != nil
        recording = SharedRecording(
            isNeeded: key != nil || durability != nil || value.overlap == .join,
            isHeld: durability != nil && !isResumed, for: charge?.memory)
        if let observer { observers.add(observer) }
    }

    /// An execution that has ended, of which only its record is known.
    init(ended record: ExecutionRecord, action: HostedAction, key: ExecutionKey? = nil) {
        id = record.id
        self.action = action
        self.key = key
        group = nil
        durability = nil
        isResumed = false
        charge = nil
        causes = record.causes
        storage = nil
        mask = nil
        output = nil
        uncountedOutput = nil
        isPast = true
        input = .null
        definition = action.currentDefinition
        timeout = nil
        requestedTimeout = nil
        appointment = .none
        flow = nil
        self.record = record
        // The start and the end: nothing records whether it was queued before.
        recordsPublished = 2
        watchers = 0
        requesters = Requesters(nil)
        isKeyed = key != nil
        recording = SharedRecording(isNeeded: false)
    }

    /// The memory of an execution that waits, beside its input, approximately.
    private static let bytesOfWaiting = 1024

    /// What a user is charged with for an execution with this input that waits.
    static func bytesKept(ofInput input: RawJSON, _ redaction: InputRedaction) -> Int {
        input.utf8.count + redaction.cost + bytesOfWaiting
    }

    /// Whether its record has the whole input. Before anyone else knows it.
    var hasShortInput: Bool { input.utf8.count <= ExecutionRecord.inputBytesKept }

    // MARK: Its time

    /// What is left of the wait for its time, and for the ends of others.
    enum Appointment {
        /// It does not wait, or no longer.
        case none
        /// Its time is to come, or an end.
        case ahead
        /// It was withdrawn before that.
        case canceled
    }

    /// Whether it counts as work of its action: not while it waits for a time. With the log's lock held.
    var isCounted: Bool { record.dueAt == nil || appointment == .none }

    /// Whether it waits for its time, or for the ends of others. With the log's lock held, or before anyone else knows
    /// it.
    var isAhead: Bool { appointment == .ahead }

    /// There is nothing to wait for. With the log's lock held.
    func forgoAppointment() { appointment = .none }

    /// Its time has come: the present definition of its action applies. With the log's lock held.
    ///
    /// - Returns: false if it was withdrawn.
    func keepAppointment() -> Bool {
        guard appointment == .ahead else { return false }
        appointment = .none
        hasKeptAppointment = true
        definition = action.currentDefinition
        timeout = Self.timeout(requestedTimeout, definition.value)
        return true
    }

    private static func timeout(_ requested: Duration?, _ definition: ActionDefinition) -> Duration? {
        switch (requested, definition.timeout) {
        case (let requested?, let own?): min(requested, own)
        case (let requested?, nil): requested
        case (nil, let own): own
        }
    }

    // MARK: Its course

    /// The gate has started it. With the log's lock held.
    func start(_ execution: Execution<RawJSON>, at time: Int64) {
        self.execution = execution
        record.state = .executing
        record.startedAt = time
        // The work in progress is bounded by its action.
        charge?.giveBack(Self.bytesOfWaiting)
        // It may have to be kept for as long, for what the work writes to its standard error.
        if let mask { charge?.add(mask.searchCost) }
        if let retry = definition.value.retry { record.attempts = Attempts(1, of: retry.attempts) }
    }

    /// Whether its failed work is tried again.
    public var isTriedAgain: Bool { definition.value.retry != nil }

    /// An attempt has failed, and another one follows.
    ///
    /// - Parameter mask: the execution's, which may end meanwhile.
    /// - Returns: the failure as it may be shown.
    func attemptFailed(
        _ number: Int, of most: Int, _ error: any Error, delay: Duration, without mask: SecretMask?
    ) -> WorkFailure {
        let failure = error as? WorkFailure ?? WorkFailure(message: String(describing: error))
        let shown = mask?.masking(failure) ?? failure
        let time = action.services.time
        publish(
            Attempts(
                number, of: most,
                failure: Attempts.Failure(
                    ExecutionError.failed(shown).shortened(to: ExecutionRecord.errorBytesKept), delay: delay,
                    endsAt: time + Int64(delay / .milliseconds(1)))), at: time)
        return shown
    }

    /// An attempt after the first one begins.
    func attempting(_ number: Int, of most: Int) {
        publish(Attempts(number, of: most), at: action.services.time)
    }

    private func publish(_ attempts: Attempts, at time: Int64) {
        action.log.update { state in
            guard !record.state.isFinal else { return }
            record.attempts = attempts
            let event = state.publish(.execution(record), of: action, execution: self, at: time)
            state.record(event, of: self)
        }
    }

    /// Starts to measure the time of the work, once that may begin.
    func startTimer(_ limit: Duration) {
        guard let durability else { return measure(limit) }
        durability.whenStarted { [weak self] in
            guard let self else { return }
            measure(limit)
            // Short work may have ended meanwhile.
            if hasEnded { stopTimer() }
        }
    }

    private func measure(_ limit: Duration) {
        timer.start(limit, on: action.services.platform.queues.shared) { [weak self] in
            self?.cancel(WorkTimedOut(limit: limit))
        }
    }

    func stopTimer() { timer.stop() }

    /// The error behind an end of the gate's execution. The end of a durable input that is queued when the daemon
    /// stops, or whose start cannot be stored then, is postponed: the next daemon starts it. With the log's lock held.
    func error(of end: ExecutionEnd) -> ExecutionError? {
        var error = ExecutionError(end)
        if let mask { error = error.map { mask.masking($0) } }
        guard case .stopped? = error, let durability, durability.isDurable else { return error }
        return record.startedAt == nil || durability.postpone() ? .postponed : error
    }

    /// Keeps no more of the input and the error than a record of the past has. With the log's lock held.
    func forgetInput(keeping error: ExecutionError?) {
        if let error { record.error = error }
        // The full input, with what must not be shown, was for the work.
        input = .null
        mask = nil
        charge = nil
        record = record.withoutLongInput
    }

    // MARK: Published events

    /// Whether its end was published up to `cursor`. With the log's lock held.
    func hasEnded(by cursor: UInt64) -> Bool {
        guard record.state.isFinal else { return false }
        return endNumber.map { $0 <= cursor } ?? !action.ring.hasEnd(of: id, after: cursor)
    }

    /// The number of its first record. With the log's lock held, or before anyone else knows it.
    func noteFirstRecord(_ number: UInt64) {
        if !isResumed { firstRecord = number }
    }

    /// The number of its first event, if that is known and still in memory; `isKnown` is false if all of the ring's
    /// events have to be looked at. With the log's lock held.
    var firstKept: (isKnown: Bool, number: UInt64?) {
        guard let firstRecord else { return (false, nil) }
        return (true, action.ring.hasFirst(firstRecord) ? firstRecord : nil)
    }

    /// How many events of each kind were published. With the log's lock held.
    var published: KindCounts {
        KindCounts(
            elements: UInt64(record.elements), errors: record.state.isFinal && record.error != nil ? 1 : 0,
            executions: UInt64(recordsPublished))
    }

    /// `published` when the log began to leave events out for the `number`th time. With the log's lock held.
    func published(atSkip number: UInt64) -> KindCounts {
        skip.number == number ? skip.published : published
    }

    /// The log has begun to leave events out for the `number`th time by now, perhaps with `event`. With the log's lock
    /// held.
    func noteSkip(_ number: UInt64, before event: HostEvent) {
        guard skip.number != number else { return }
        // Without this event, which is published already.
        var published = published
        published.update(event.kind) { $0 -= 1 }
        skip = (number, published)
    }

    // MARK: Output

    /// Keeps an element. With the log's lock held.
    ///
    /// - Parameters:
    ///   - number: the number of the element's event.
    ///   - time: milliseconds since 1970.
    ///   - outputs: notes that it has changed.
    /// - Returns: whether readers wait for more: `RetainedOutput.takeReaders`.
    @inline(never)  // Inlined, it retains the output for each element.
    func keep(_ element: RawJSON, number: UInt64, time: Int64, in outputs: inout OutputsOfHost) -> Bool {
        guard let uncountedOutput else { return false }
        return uncountedOutput._withUnsafeGuaranteedRef { output in
            if output.append(element, number: number, time: time, total: &outputs.cost) { outputs.note(self) }
            return output.hasReaders
        }
    }

    /// Keeps what the work has written to its standard error.
    func keep(error bytes: UnsafeRawBufferPointer) {
        guard let output, !bytes.isEmpty else { return }
        // The bytes are valid for the time of the call only; the closure does not outlive it.
        nonisolated(unsafe) let bytes = bytes
        let readers = action.log.update { state -> [@Sendable () -> Void] in
            guard !record.state.isFinal else { return [] }
            state.keep(error: bytes, of: self, in: output)
            return output.takeReaders()
        }
        for reader in readers { reader() }
    }

    // MARK: Storing

    /// Whether the store keeps its events, and its record with the last of them. With the log's lock held.
    var isLogged: Bool { storage?.keepsHistory == true && !isDismissed }

    func storeQueued() {
        // One that has waited before was stored when it was accepted.
        guard let storage, !hasWaited else { return }
        storeAcceptance(in: storage, after: nil)
    }

    /// - Parameter after: the ends that it waits for, if any.
    func storeScheduled(after: AwaitedEnds?) {
        if let storage { storeAcceptance(in: storage, after: after) }
    }

    private func storeAcceptance(in storage: ExecutionStorage, after: AwaitedEnds?) {
        let (record, input) = action.log.read { _ in (self.record, self.input) }
        storage.queued(record, input, after: after)
    }

    /// Whether it has waited for a time or for the ends of others.
    private var hasWaited: Bool { action.log.read { _ in hasKeptAppointment } }

    func storeStart(waited: Bool, at time: Int64) {
        storage?.started(action.log.record(of: self), waited: waited, at: time)
    }

    func storeEnd() {
        guard let storage else { return storeEndOfKeys() }
        let (record, isPassed, isKeyed) = action.log.read { _ in (self.record, storage.isEndPassed, self.isKeyed) }
        storage.ended(record, isPassed: isPassed, isKeyed: isKeyed)
    }

    /// Stores its end for the keys of requests that have joined it, if there are any and it has ended.
    func storeEndOfKeys() {
        guard let store = action.services.store else { return }
        let (record, isKeyed) = action.log.read { _ in (self.record, self.isKeyed) }
        if isKeyed, record.state.isFinal, !record.isPostponed { store.settled(record) }
    }

    /// See `ExecutionStorage.mustStoreFirst`. With the log's lock held.
    func mustStoreEndFirst(_ error: ExecutionError?) -> Bool { storage?.mustStoreFirst(error, of: record) ?? false }

    /// Calls `completion`, on any thread, once the store has the end or cannot have it.
    func storeEndFirst(_ error: ExecutionError?, at time: Int64, completion: @escaping @Sendable () -> Void) {
        guard let storage else { return completion() }
        var (record, isKeyed) = action.log.read { _ in (self.record, self.isKeyed) }
        record.end(error, at: time)
        storage.storeEndFirst(record, isKeyed: isKeyed) { [log = action.log] failure in
            if let failure { log.update { _ in storage.endFailed(failure) } }
            completion()
        }
    }

    /// Whether it waits because its acceptance or its start cannot be stored at present.
    public var waitsForStore: Bool { durability?.isHeld ?? false }

    /// Whether its turn has come, and its start has to be stored before its work begins.
    var isStarting: Bool {
        guard let durability, durability.isDurable, !durability.isStarted else { return false }
        return action.log.record(of: self).startedAt != nil
    }

    /// Why its end is not in the store although it has to be: a later host would start it again.
    public var unkeptEnd: StoreError? {
        action.log.read { _ in storage?.endFailure }
    }

    // MARK: Canceling

    /// Asks the work to end. The execution then ends for this reason, whatever the work does.
    func cancel(_ reason: any Error) {
        let (started, isAhead) = action.log.update { _ -> (Execution<RawJSON>?, Bool) in
            if execution == nil, pendingCancellation == nil { pendingCancellation = reason }
            defer { if appointment == .ahead { appointment = .canceled } }
            return (execution, appointment == .ahead)
        }
        if isAhead { action.services.scheduled.withdraw(self, reason) }
        started?.cancel(reason)
    }

    /// Cancels the execution, whoever requested it.
    ///
    /// - Parameters:
    ///   - origin: who cancels it; nil for the host itself.
    ///   - grace: how long the work may take to end; nil for the default of its kind.
    public func cancel(by origin: Origin?, grace: Duration? = nil) {
        cancel(CancellationRequest(by: origin, grace: grace))
    }

    /// Withdraws one requester. The last to withdraw cancels the execution.
    ///
    /// - Returns: whether this withdrawal canceled it.
    @discardableResult
    public func withdraw(_ requester: UInt64) -> Bool {
        let isLast = action.log.update { _ in requesters.withdraw(requester) && !record.state.isFinal }
        if isLast { cancel(CancellationRequest(by: nil)) }
        return isLast
    }

    // MARK: Observing

    /// Whether its end has not come yet.
    public var isInFlight: Bool { !hasEnded }

    var hasEnded: Bool { action.log.record(of: self).state.isFinal }

    /// Calls `observer` with the events from now on, or with the end at once if the execution has ended.
    ///
    /// - Returns: removes the observer when it is disposed.
    @discardableResult
    public func observe(_ observer: @escaping ExecutionEvent.Observer) -> any Disposable {
        observe(ExecutionObserver(observer))
    }

    /// Calls `body` with the error, if any, when the execution has ended, or at once if it has. Its elements cost such
    /// an observer nothing.
    ///
    /// - Returns: removes the observer when it is disposed.
    @discardableResult
    public func observeEnd(_ body: @escaping @Sendable (ExecutionError?) -> Void) -> any Disposable {
        observe(ExecutionObserver(.end(body)))
    }

    private func observe(_ observer: ExecutionObserver) -> any Disposable {
        let (isOver, error) = action.log.update { _ -> (Bool, ExecutionError?) in
            guard record.state.isFinal else {
                observers.add(observer)
                return (false, nil)
            }
            return (true, record.error)
        }
        if isOver { observer.end(error) }
        return Disposables.create { [weak self] in self?.remove(observer) }
    }

    func remove(_ observer: ExecutionObserver) {
        action.log.update { _ in observers.remove(observer) }
    }

    // MARK: Joining

    /// The execution has ended: drops the recording unless others may still read it.
    ///
    /// - Returns: the cost of the recording if requests with the execution's key may read it; nil without a key.
    func retireRecording() -> Int? {
        action.log.update { state -> Int? in
            if isKeyed {
                recording.retire()
                return recording.cost
            }
            if !recording.isHeld { state.dropRecording(of: self) }
            return nil
        }
    }

    /// What is left of a longer error when there is no room.
    private static let leastErrorBytes = 1024

    /// Drops the recording and most of a long error although others may join the execution: they receive its end only.
    func dropRecording() {
        action.log.update { state in
            state.dropRecording(of: self)
            record.error = record.error?.shortened(to: Self.leastErrorBytes)
        }
    }

    /// A request has read the recording, or does not need it.
    func releaseRecording() {
        action.log.update { state in
            recording.release()
            // Only requests that waited for the acceptance can read the elements of an execution without a key.
            if !recording.isHeld, !isKeyed, record.state.isFinal || definition.value.overlap != .join {
                state.dropRecording(of: self)
            }
        }
    }

    struct Admission {
        let observer: ExecutionObserver?
        /// What completes when the acceptance is stored; nil if nobody need wait for that.
        let durability: Durability?
        /// Nil for a request that is not watched, and if something has to be waited for: a watcher attaches after that.
        let readyAttachment: Attachment?
    }

    /// Lets `request` join, and passes to its observer what it wants of the past. Nil if the past is no longer there:
    /// then the execution has ended, or its input was not accepted.
    ///
    /// - Parameter waits: whether the request has to wait for more than the acceptance of the execution.
    func attach(_ request: ExecutionRequest, _ observer: ExecutionObserver?, waits: Bool) -> Admission? {
        let observer = observer?.joining()
        var past: Attachment?
        var end: (error: ExecutionError?, Void)?
        let admission = action.log.update { state -> Admission? in
            let isFinal = record.state.isFinal
            // Of an ended execution with a key at least the end is known.
            guard !isDismissed, !isFinal || recording.exists || isKeyed else { return nil }
            requesters.join()
            if request.key != nil { isKeyed = true }
            let unkept = durability?.isAccepted == false ? durability : nil
            let waits = waits || unkept != nil
            if waits {
                recording.hold()
            } else if request.isWatched {
                watchers += 1
            }
            if !isFinal { requesters.add(request.requester) }
            if let observer {
                if !isFinal {
                    observers.add(observer, recording, published: record.elements)
                } else if !observer.wantsPast {
                    observers.collectPast(for: observer, recording, published: record.elements)
                    end = (record.error, ())
                }
            }
            let isWatchedNow = request.isWatched && !waits
            // Nobody else reads the past, which may be long.
            if isWatchedNow || observer?.wantsPast == true { past = attachment(state) }
            return Admission(observer: observer, durability: unkept, readyAttachment: isWatchedNow ? past : nil)
        }
        guard let admission else { return nil }
        if let observer {
            if let end { observer.end(end.error) } else if let past { observer.catchUp(past.past) }
        }
        return admission
    }

    /// With the log's lock held.
    private func attachment(_ state: HostState) -> Attachment {
        Attachment(record, of: action, recording, published: published, cursor: state.cursor)
    }

    /// Attaches a watcher of an execution whose acceptance has just been stored.
    public func attachWatcher() -> Attachment {
        action.log.update { state in
            watchers += 1
            return attachment(state)
        }
    }

    /// Whether its input was not accepted after all.
    var wasDismissed: Bool { action.log.read { _ in isDismissed } }

    /// Its input was refused, or accepted as part of another execution. For requests that have joined it by its key
    /// meanwhile it fails, and for those that wait for its end.
    func dismiss(own: ExecutionObserver?) {
        // Nothing of it is going to be stored: requests that have joined it must not wait for that.
        defer { durability?.accepted(nil) }
        let time = action.services.time
        let error = ExecutionError.failed(
            WorkFailure(message: "the input was not accepted", facts: ["cause": "refused"]))
        let others = action.log.update { state -> [ExecutionObserver] in
            isDismissed = true
            guard requesters.isJoined else { return observers.removeAll().filter { $0 !== own } }
            record.end(error, at: time)
            state.publishEnd(of: self, error, at: time)
            _ = state.finish(self, keeping: error)
            return observers.removeAll().filter { $0 !== own }
        }
        for observer in others { observer.end(error) }
    }
}
