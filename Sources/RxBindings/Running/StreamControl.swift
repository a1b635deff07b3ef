internal import Rx
internal import RxHost
internal import RxRecords
internal import RxStreams

/// What takes effect at the beginning of a turn, before anything that waits: the switches, and the request to stop.
final class StreamControl: Sendable {
    private struct State {
        var switches: StreamSwitches
        var whenStopped: (@Sendable () -> Void)?
    }

    private let condition: LiveCondition?
    private let manualSwitch: @Sendable () -> ManualSwitch?
    private let turns: StreamTurns
    private let state: Locked<State>

    init(_ name: String, condition: EnabledCondition?, services: StreamServices, turns: StreamTurns) {
        self.turns = turns
        self.condition = condition.map { LiveCondition($0, services: services) { [weak turns] in turns?.wake() } }
        manualSwitch = { [host = services.host] in host.manualSwitch(ofStream: name) }
        state = Locked(State(switches: StreamSwitches(manual: manualSwitch(), hasCondition: condition != nil)))
    }

    // MARK: On any thread

    /// Begins to keep what the condition depends on.
    func startCondition() { condition?.start() }

    /// Why the stream is disabled, in a sentence without a period; nil if it is enabled.
    var disabledReason: String? { state.withLock { $0.switches.reason } }

    /// Whether nothing is known that disables the stream: its condition may be undecided.
    var mayRun: Bool { state.withLock { $0.switches.manual == nil && $0.switches.unmet == nil } }

    /// Reads the switch again: it may have been set before anybody could find the stream.
    func refreshSwitch() {
        state.withLock { state in
            // With the lock held, so that a switch that is set meanwhile comes after it.
            state.switches.manual = manualSwitch()
            state.switches.noteReason()
        }
        turns.wake()
    }

    func set(_ manual: ManualSwitch?) {
        state.withLock { state in
            state.switches.manual = manual
            state.switches.noteReason()
        }
        turns.wake()
    }

    /// Has the stream stop in its next turn.
    ///
    /// - Parameter completion: called once, in that turn.
    func stop(_ completion: @escaping @Sendable () -> Void) {
        state.withLock { $0.whenStopped = completion }
        turns.wake()
    }

    // MARK: In the stream's turn

    /// Evaluates the condition if what it depends on has changed. Waits for a worker.
    func evaluate() {
        guard let condition, state.withLock({ $0.whenStopped == nil }) else { return }
        let unmet: String?
        switch condition.evaluate() {
        case .unchanged: return
        case .holds: unmet = nil
        case .fails(let reason): unmet = reason
        }
        state.withLock { state in
            state.switches.isUndecided = false
            state.switches.unmet = unmet
            state.switches.noteReason()
        }
    }

    /// What to call once the stream has stopped; nil if it goes on.
    func takeStop() -> (@Sendable () -> Void)? {
        state.withLock { state in
            defer { state.whenStopped = nil }
            return state.whenStopped
        }
    }

    /// - Returns: whether the stream was disabled since the last call.
    func takeWasDisabled() -> Bool { state.withLock { $0.switches.takeWasDisabled() } }

    /// Nothing is kept for the condition any more.
    func end() { condition?.stop() }
}
