internal import RxRecords
internal import Rx
internal import RxAction

// The manual switch, and the condition.

extension HostedAction {
    /// Who has switched it and waits for that, in their order: of two at the same moment the last to take effect is the last
    /// to be told, and so the last that is kept.
    struct Switches {
        struct Change: Sendable {
            let manual: ManualSwitch?
            let applied: @Sendable () -> Void
        }

        fileprivate var waiting = Queue<Change>()
        fileprivate var isUnderWay = false

        /// - Returns: whether the caller is to apply it, and what follows.
        fileprivate mutating func add(_ change: Change) -> Bool {
            waiting.append(change)
            defer { isUnderWay = true }
            return !isUnderWay
        }

        fileprivate mutating func next() -> Change? {
            let next = waiting.removeFirst()
            isUnderWay = next != nil
            return next
        }
    }

    /// Switches the action off, or on again with nil, and calls `applied`: before it returns, unless another switch is
    /// under way, by which it is called then.
    func set(_ manual: ManualSwitch?, applied: @escaping @Sendable () -> Void) {
        guard switches.withLock({ $0.add(Switches.Change(manual: manual, applied: applied)) }) else { return }
        while let change = switches.withLock({ $0.next() }) {
            apply(change.manual)
            change.applied()
        }
    }

    private func apply(_ manual: ManualSwitch?) {
        services.set(manual, of: name)
        log.change { state in
            levels.manual = manual
            // Off at once, whoever tells of the gate's move, and with its cause.
            if manual != nil { updateEnabled(&state, at: WallClock.milliseconds) }
        }
        isSwitchedOff.onNext(manual != nil)
        log.change { state in
            // A gate that was closed for another reason has not moved.
            if !levels.inFlight.isEmpty { updateEnabled(&state, at: WallClock.milliseconds) }
        }
    }

    /// A condition does not hold, or nothing is in the way any more. Not to be called from two threads at once.
    func set(unmet: UnmetCondition?) {
        let wasUnmet = log.change { state in
            let wasUnmet = levels.unmet != nil
            levels.unmet = unmet
            if unmet != nil { updateEnabled(&state, at: WallClock.milliseconds) }
            return wasUnmet
        }
        guard wasUnmet != (unmet != nil) else { return }
        isUnmet.onNext(unmet != nil)
        log.change { state in updateEnabled(&state, at: WallClock.milliseconds) }
    }
}
