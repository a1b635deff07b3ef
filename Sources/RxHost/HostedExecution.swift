public import RxAction
public import RxJSON
internal import Rx
internal import Dispatch

/// One execution and those who asked for it.
///
/// It stays in flight while its work does. A requester that asked with `cancels: true` can withdraw; when the last
/// requester has, the execution is cancelled. One that asked with `cancels: false` never withdraws.
// Unchecked: the mutable fields are guarded by the event log's lock and reached only inside `EventLog.change` and
// its readers; the rest is constant.
public final class HostedExecution: @unchecked Sendable {
    /// What somebody who waits for this very execution hears, in order, ending with `ended`.
    public enum Event: Sendable {
        case element(RawJSON)
        case ended(ExecutionError?)
    }

    public let id: ExecutionID
    public let action: HostedAction
    let definition: HostedAction.Definition
    let timeout: Duration?
    /// For a requester that reads the execution's stream; nil for inline work.
    public let flow: Flow?

    var record: ExecutionRecord
    var isWatched: Bool
    /// Tokens of the requesters that may withdraw.
    var withdrawable: [UInt64] = []
    /// Whether somebody asked who never withdraws.
    var isDetached: Bool
    var execution: Execution<RawJSON>?
    /// The reason of a cancellation that came before the start was told.
    var pendingCancellation: (any Error)?
    var observers: [@Sendable (Event) -> Void] = []
    /// The input as it came; a large one is dropped at the end, as the record's is.
    var input: RawJSON
    private let timer = Locked<(any DispatchSourceTimer)?>(nil)

    init(
        id: ExecutionID, action: HostedAction, definition: HostedAction.Definition, request: ExecutionRequest,
        time: Int64
    ) {
        self.id = id
        self.action = action
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
            id: id, action: action.name, by: request.by, input: request.input, state: .queued, queuedAt: time,
            elements: 0)
        isWatched = request.isWatched
        isDetached = request.requester == nil
        if let requester = request.requester { withdrawable = [requester] }
        if let observer = request.observer { observers = [observer] }
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
    public var isInFlight: Bool { !action.log.record(of: self).state.isFinal }

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
    public func observe(_ observer: @escaping @Sendable (Event) -> Void) {
        let end = action.log.change { _ -> Event? in
            guard record.state.isFinal else {
                observers.append(observer)
                return nil
            }
            return .ended(record.error)
        }
        if let end { observer(end) }
    }
}

extension Duration {
    /// For Dispatch, rounded up to a nanosecond and bounded to what it can count (292 years).
    var dispatchInterval: DispatchTimeInterval {
        let (seconds, attoseconds) = components
        guard seconds < Int64(Int.max) / 1_000_000_000 else { return .never }
        return .nanoseconds(Int(seconds) * 1_000_000_000 + Int((attoseconds + 999_999_999) / 1_000_000_000))
    }
}

/// One wish for an execution.
public struct ExecutionRequest: Sendable {
    public var input: RawJSON
    public var by: Origin
    /// Longest the work may take; the shorter of this and the action's own holds.
    public var timeout: Duration?
    /// A token with which the requester can withdraw; nil leaves the execution running whatever becomes of it.
    public var requester: UInt64?
    /// Whether the execution's events are kept for the log's reader even if nobody watches the action.
    public var isWatched: Bool
    /// Hears of this execution's elements and end, outside of any lock, on the work's thread.
    public var observer: (@Sendable (HostedExecution.Event) -> Void)?

    public init(
        input: RawJSON, by: Origin, timeout: Duration? = nil, requester: UInt64? = nil, isWatched: Bool = false,
        observer: (@Sendable (HostedExecution.Event) -> Void)? = nil
    ) {
        self.input = input
        self.by = by
        self.timeout = timeout
        self.requester = requester
        self.isWatched = isWatched
        self.observer = observer
    }
}

/// Why an input was not executed.
public enum ExecutionRefusal: Error, Sendable {
    case input([InputFault])
    case notEnabled(Enabled)
    case stopping
}
