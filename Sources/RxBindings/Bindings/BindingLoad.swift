internal import Rx

/// What an `on` has under way; whenever there is less, the stream takes a turn.
final class BindingLoad: Sendable {
    private struct State {
        /// Firings whose acceptance is not stored yet.
        var unaccepted = 0
        /// Executions in flight that the `on` has started.
        var inFlight = 0
    }

    private let turns: StreamTurns
    private let state = Locked(State())

    init(_ turns: StreamTurns) { self.turns = turns }

    /// Whether firings are not stored yet.
    var hasUnaccepted: Bool { state.withLock { $0.unaccepted > 0 } }
    /// Whether executions that the `on` has started are in flight.
    var hasInFlight: Bool { state.withLock { $0.inFlight > 0 } }

    func noteFiring() { state.withLock { $0.unaccepted += 1 } }

    func noteAccepted() {
        state.withLock { $0.unaccepted -= 1 }
        turns.wake()
    }

    func noteStart() { state.withLock { $0.inFlight += 1 } }

    func noteEnd() {
        state.withLock { $0.inFlight -= 1 }
        turns.wake()
    }
}
