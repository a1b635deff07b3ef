internal import RxRecords

/// Switches an action off and on, by hand or by a condition: its gate, its levels, and what the host remembers of it.
struct ActionSwitching {
    let action: HostedAction

    /// Switches the action off, or on again with nil, and calls `applied` when that has taken effect: before this
    /// returns, unless another switch is under way on another thread.
    func set(_ manual: ManualSwitch?, applied: @escaping @Sendable () -> Void) {
        action.switches.set(manual, applied: applied, apply: apply)
    }

    private func apply(_ manual: ManualSwitch?) {
        action.services.set(manual, of: action.name)
        action.log.update { state in
            action.levels.set(manual)
            // Published here, with the switch as the cause, before the gate itself reports its move.
            if manual != nil { action.updateEnabled(&state, at: action.services.time) }
        }
        action.switches.setSwitchedOff(manual != nil)
        action.log.update { state in
            // A gate that was closed for another reason has not moved.
            if !action.levels.inFlight.isEmpty { action.updateEnabled(&state, at: action.services.time) }
        }
    }

    /// Sets the condition that does not hold, or nil. Not to be called from two threads at once.
    func set(_ unmet: UnmetCondition?) {
        let wasUnmet = action.log.update { state in
            let wasUnmet = action.levels.set(unmet)
            if unmet != nil { action.updateEnabled(&state, at: action.services.time) }
            return wasUnmet
        }
        guard wasUnmet != (unmet != nil) else { return }
        action.switches.setUnmet(unmet != nil)
        action.log.update { action.updateEnabled(&$0, at: action.services.time) }
    }
}
