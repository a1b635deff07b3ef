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

    /// Closes the gate for the manual switch, or opens it.
    func setSwitchedOff(_ isSwitchedOff: Bool) { self.isSwitchedOff.onNext(isSwitchedOff) }

    /// Closes the gate for a condition that does not hold, or opens it.
    func setUnmet(_ isUnmet: Bool) { self.isUnmet.onNext(isUnmet) }

    /// Applies a manual switch, after those that came before it.
    ///
    /// - Parameters:
    ///   - manual: the switch; nil switches the action on.
    ///   - applied: called once the switch has taken effect: before this returns, unless another switch is under way on
    ///     another thread, which then applies this one too.
    ///   - apply: makes a switch take effect; called for this switch and for those that come meanwhile.
    func set(
        _ manual: ManualSwitch?, applied: @escaping @Sendable () -> Void, apply: (ManualSwitch?) -> Void
    ) {
        guard line.withLock({ $0.add(Change(manual: manual, applied: applied)) }) else { return }
        while let change = line.withLock({ $0.next() }) {
            apply(change.manual)
            change.applied()
        }
    }
}
