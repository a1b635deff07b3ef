internal import Rx

/// The rounds in which a scheduler plays diagrams. Each round has its own frame 0.
///
/// Hot sequences from diagrams play in every round, so a test can contain several expectations in a row.
final class MarbleRounds: Sendable {
    /// The shortest round, in frames: as long as the observation by `TestScheduler.start`.
    private static let minimumLength = TestScheduler.Defaults.disposed - TestScheduler.Defaults.subscribed
    /// How many frames to observe after the end of the longest diagram, to detect unexpected events.
    private static let margin = 100

    private struct Round {
        let begin: TestTime
        let zero: TestTime
        var length = MarbleRounds.minimumLength
        var end: TestTime { zero + length }
    }

    private struct State {
        var rounds: [Round] = []
        /// Play the hot sequences. Each returns whether its sequence still exists.
        var players: [@Sendable (_ zero: TestTime) -> Bool] = []
    }

    private let state = Locked(State())

    /// Frame 0 of the round in preparation; begins a new round if the last one's frame 0 is in the past.
    func zero(_ scheduler: TestScheduler) -> TestTime {
        let now = scheduler.clock
        let (zero, players) = state.withLock { state in
            if let round = state.rounds.last, now <= round.zero {
                return (round.zero, [] as [@Sendable (TestTime) -> Bool])
            }
            let round = Round(begin: now, zero: now + TestScheduler.Defaults.subscribed)
            state.rounds.append(round)
            return (round.zero, state.players)
        }
        if !players.isEmpty {
            let alive = players.filter { $0(zero) }
            state.withLock { $0.players.replaceSubrange(..<players.count, with: alive) }
        }
        return zero
    }

    /// Calls `play` now and at the start of each later round, until it returns false.
    func add(_ scheduler: TestScheduler, _ play: @escaping @Sendable (_ zero: TestTime) -> Bool) {
        let zero = zero(scheduler)
        state.withLock { $0.players.append(play) }
        _ = play(zero)
    }

    /// Extends the round to fit a diagram.
    func extend(by diagram: MarbleDiagram) {
        state.withLock { state in
            guard let last = state.rounds.indices.last else { return }
            state.rounds[last].length = max(state.rounds[last].length, diagram.length + MarbleRounds.margin)
        }
    }

    /// Calls `action` at the end of the current round.
    func atEnd(_ scheduler: TestScheduler, _ action: @escaping @Sendable () -> Void) {
        guard let last = state.withLock({ $0.rounds.indices.last }) else { return }
        wait(scheduler, for: last, action)
    }

    private func wait(_ scheduler: TestScheduler, for round: Int, _ action: @escaping @Sendable () -> Void) {
        scheduler.scheduleAt(end(of: round)) { [unowned scheduler] in
            // Diagrams read meanwhile may be longer.
            if self.end(of: round) > scheduler.clock { self.wait(scheduler, for: round, action) } else { action() }
        }
    }

    private func end(of round: Int) -> TestTime { state.withLock { $0.rounds[round].end } }

    /// Converts a subscription to frames of its round. One that lasts to the end of the round has no disposal.
    func frames(of subscription: Subscription) -> Subscription {
        let rounds = state.withLock { $0.rounds }
        guard let round = rounds.last(where: { $0.begin <= subscription.subscribe }) else { return subscription }
        let begin = subscription.subscribe - round.zero
        guard subscription.unsubscribe < round.end else { return Subscription(begin) }
        return Subscription(begin, subscription.unsubscribe - round.zero)
    }
}
