public import RxStore
public import RxRecords
public import RxAction
public import RxJSON
internal import Rx
internal import Dispatch

/// One execution and those who asked for it.
///
/// It stays in flight from its acceptance until its work is gone. A requester that asked with `cancels: true` can withdraw;
/// when the last requester has, the execution is cancelled. One that asked with `cancels: false` never withdraws.
// Unchecked: the mutable fields are guarded by the event log's lock and reached only inside `EventLog.change` and
// its readers; the rest is constant.
public final class HostedExecution: @unchecked Sendable {
    /// What somebody who waits for this very execution hears, in order, ending with `ended`.
    public enum Event: Sendable {
        /// So many elements before the next are no longer there: told first, if at all.
        case lost(Int)
        case element(RawJSON)
        case ended(ExecutionError?)
    }

    public let id: ExecutionID
    public let action: HostedAction
    let definition: HostedAction.Definition
    let timeout: Duration?
    let key: ExecutionKey?
    /// For a requester that reads the execution's stream; nil for inline work.
    public let flow: Flow?
    /// Nil for one that a crash may lose.
    let durability: Durability?

    var record: ExecutionRecord
    /// How many of its records were told.
    var recordsTold = 0
    /// `told` as it was when the log began to leave events out for the `number`th time.
    var skip: (number: UInt64, told: KindCounts) = (0, KindCounts())
    /// How many want its events kept for the log's reader.
    var watchers: Int
    /// Tokens of the requesters that may withdraw.
    var withdrawable: [UInt64] = []
    /// Whether somebody asked who never withdraws.
    var isDetached: Bool
    var execution: Execution<RawJSON>?
    /// The reason of a cancellation that came before the acceptance was told.
    var pendingCancellation: (any Error)?
    var observers: [ExecutionObserver] = []
    /// The input as it came, until the end.
    var input: RawJSON
    /// Its elements, if others may join it later.
    var recording: Recording?
    /// Whether a key means it.
    var isKeyed: Bool
    /// Whether somebody takes part in it who has not made it.
    var isJoined = false
    /// Whether its input was not accepted after all.
    var isDismissed = false
    /// Whether its end is with the store already, and why that could not keep it.
    var endKept: EndKept?
    /// Those who are about to read the recording.
    var recordingHolds = 0
    /// Whether the store has it from an earlier host.
    let wasStored: Bool
    private let timer = Locked<(any DispatchSourceTimer)?>(nil)

    enum EndKept {
        case asked
        case failed(StoreError)
    }

    init(
        id: ExecutionID, action: HostedAction, definition: HostedAction.Definition, request: ExecutionRequest,
        key: ExecutionKey? = nil, durability: Durability? = nil, wasStored: Bool = false, time: Int64
    ) {
        self.id = id
        self.action = action
        self.key = key
        self.durability = durability
        self.wasStored = wasStored
        input = request.input
        self.definition = definition
        timeout =
            switch (request.timeout, definition.value.timeout) {
            case (let asked?, let own?): min(asked, own)
            case (let asked?, nil): asked
            case (nil, let own): own
            }
        flow =
            switch definition.value.scheduler {
            case .inline: nil
            case .serial: Flow()
            }
        record = ExecutionRecord(
            id: id, action: action.name, by: request.by, input: definition.value.shown(request.input), state: .queued,
            queuedAt: time, elements: 0)
        watchers = request.isWatched ? 1 : 0
        isDetached = request.requester == nil
        if let requester = request.requester { withdrawable = [requester] }
        isKeyed = key != nil
        if isKeyed || durability != nil || definition.value.overlap == .join { recording = Recording() }
    }

    /// One that has ended before this host was there.
    init(_ record: ExecutionRecord, action: HostedAction, key: ExecutionKey?) {
        id = record.id
        self.action = action
        self.key = key
        durability = nil
        wasStored = true
        input = .null
        definition = action.currentDefinition
        timeout = nil
        flow = nil
        self.record = record
        watchers = 0
        isDetached = true
        isKeyed = key != nil
    }

    func startTimer(_ limit: Duration) {
        // A source, since a cancelled work item stays with Dispatch until its time has come.
        let source = DispatchSource.makeTimerSource(queue: .global())
        source.setEventHandler { [weak self] in self?.cancel(WorkTimedOut(limit: limit)) }
        source.schedule(deadline: .now() + limit.dispatchInterval)
        timer.withLock { $0 = source }
        source.activate()
    }

    func stopTimer() {
        let source = timer.withLock { timer in
            defer { timer = nil }
            return timer
        }
        source?.cancel()
    }

    /// Asks the work to end. Its end, whatever it is, is told as this reason's.
    func cancel(_ reason: any Error) {
        let started = action.log.change { _ -> Execution<RawJSON>? in
            if execution == nil, pendingCancellation == nil { pendingCancellation = reason }
            return execution
        }
        started?.cancel(reason)
    }

    /// Cancels the execution, whoever asked for it.
    public func cancel(by origin: Origin?, grace: Duration? = nil) {
        cancel(CancellationRequest(by: origin, grace: grace))
    }

    /// Whether its end has not come yet.
    public var isInFlight: Bool { !hasEnded }

    var hasEnded: Bool { action.log.record(of: self).state.isFinal }

    /// Why its end is not in the store although it has to be: a later host would start it again.
    public var unkeptEnd: StoreError? {
        action.log.change { _ in
            switch endKept {
            case .failed(let error): error
            case nil, .asked: nil
            }
        }
    }

    /// Takes back one requester's wish. The last to withdraw cancels the execution.
    ///
    /// - Returns: whether this withdrawal cancelled it.
    @discardableResult
    public func withdraw(_ requester: UInt64) -> Bool {
        let isLast = action.log.change { _ in
            guard let index = withdrawable.firstIndex(of: requester) else { return false }
            withdrawable.remove(at: index)
            return withdrawable.isEmpty && !isDetached && !record.state.isFinal
        }
        if isLast { cancel(CancellationRequest(by: nil)) }
        return isLast
    }

    /// Calls `observer` with what comes next, or with the end at once if it has ended.
    ///
    /// - Returns: takes the observer back.
    @discardableResult
    public func observe(_ observer: @escaping @Sendable (Event) -> Void) -> Observation {
        let observer = ExecutionObserver(isLive: true, observer)
        let end = action.log.change { _ -> Event? in
            guard record.state.isFinal else {
                observers.append(observer)
                return nil
            }
            return .ended(record.error)
        }
        if let end { observer.take(end) }
        return Observation { [weak self] in self?.remove(observer) }
    }

    func remove(_ observer: ExecutionObserver) {
        action.log.change { _ in observers.removeAll { $0 === observer } }
    }
}

/// Somebody listens; until it is ended.
public struct Observation: Sendable {
    private let remove: @Sendable () -> Void

    init(_ remove: @escaping @Sendable () -> Void) {
        self.remove = remove
    }

    public func end() { remove() }
}

extension Duration {
    /// For Dispatch, rounded up to a nanosecond and bounded to what it can count (292 years).
    var dispatchInterval: DispatchTimeInterval {
        let (seconds, attoseconds) = components
        guard seconds < Int64(Int.max) / 1_000_000_000 else { return .never }
        return .nanoseconds(Int(seconds) * 1_000_000_000 + Int((attoseconds + 999_999_999) / 1_000_000_000))
    }
}
