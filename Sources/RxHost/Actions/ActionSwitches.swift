internal import RxRecords
internal import Rx
internal import RxAction

/// Everything besides its executions that keeps an action from taking input: a closed gate, the manual switch, and an
/// unmet condition.
final class ActionSwitches: Sendable {
    /// Manual switches that wait for the one under way. Of two at the same moment, the last to take effect is the last
    /// to be published, and so the last that is stored.
    private struct Line {
        var waiting = Queue<Change>()
        var isUnderWay = false

        /// - Returns: whether the caller has to apply it, and what follows.
        mutating func add(_ change: Change) -> Bool {
            waiting.append(change)
            defer { isUnderWay = true }
            return !isUnderWay
        }

        mutating func next() -> Change? {
            let next = waiting.removeFirst()
            isUnderWay = next != nil
            return next
        }
    }

    private struct Change: Sendable {
        let manual: ManualSwitch?
        let applied: @Sendable () -> Void
    }

    private let isClosed = BehaviorSubject<Bool>(value: false)
    private let isSwitchedOff: BehaviorSubject<Bool>
    private let isUnmet = BehaviorSubject<Bool>(value: false)
    private let line = Locked(Line())

    init(isSwitchedOff: Bool) {
        self.isSwitchedOff = BehaviorSubject(value: isSwitchedOff)
    }

    /// Whether the action may take input.
    var allowsInput: Observable<Bool> {
        Observable.combineLatest(isClosed, isSwitchedOff, isUnmet) { !$0 && !$1 && !$2 }
    }

    /// Closes the gate: executions in flight go on, queued ones stay queued.
    func close() { isClosed.onNext(true) }

    /// Switches the action off, or on again with nil, and calls `applied` when that has taken effect: before this
    /// returns, unless another switch is under way on another thread.
    func set(_ manual: ManualSwitch?, of action: HostedAction, applied: @escaping @Sendable () -> Void) {
        guard line.withLock({ $0.add(Change(manual: manual, applied: applied)) }) else { return }
        while let change = line.withLock({ $0.next() }) {
            apply(change.manual, to: action)
            change.applied()
        }
    }

    private func apply(_ manual: ManualSwitch?, to action: HostedAction) {
        action.services.set(manual, of: action.name)
        action.log.update { state in
            action.levels.set(manual)
            // At once, with its cause, whoever publishes the gate's move.
            if manual != nil { action.updateEnabled(&state, at: action.services.time) }
        }
        isSwitchedOff.onNext(manual != nil)
        action.log.update { state in
            // A gate that was closed for another reason has not moved.
            if !action.levels.inFlight.isEmpty { action.updateEnabled(&state, at: action.services.time) }
        }
    }

    /// Sets the condition that does not hold, or nil. Not to be called from two threads at once.
    func set(_ unmet: UnmetCondition?, of action: HostedAction) {
        let wasUnmet = action.log.update { state in
            let wasUnmet = action.levels.set(unmet)
            if unmet != nil { action.updateEnabled(&state, at: action.services.time) }
            return wasUnmet
        }
        guard wasUnmet != (unmet != nil) else { return }
        isUnmet.onNext(unmet != nil)
        action.log.update { action.updateEnabled(&$0, at: action.services.time) }
    }
}
