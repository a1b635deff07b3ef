internal import Rx

/// The rounds in which a scheduler plays diagrams. Each round has its own frame 0.
///
/// Hot sequences from diagrams play in every round, so a test can contain several expectations in a row.
final class MarbleRounds: Sendable {
    /// How many frames to observe after the end of the longest diagram, to detect unexpected events.
    private static let margin = 100

    private struct Round {
        let begin: TestTime
        let zero: TestTime
        var length: Int
        var end: TestTime { zero + length }
    }

    private struct State {
        var rounds: [Round] = []
        /// Play the hot sequences. Each returns whether its sequence still exists.
        var players: [@Sendable (_ zero: TestTime) -> Bool] = []
    }

    private let offset: Int
    private let minimumLength: Int
    private let state = Locked(State())

    /// Creates the rounds of a scheduler.
    ///
    /// - Parameters:
    ///   - offset: the time from the beginning of a round to its frame 0.
    ///   - minimumLength: the length of a round whose diagrams are shorter, in frames.
    init(zero offset: Int, length minimumLength: Int) {
        self.offset = offset
        self.minimumLength = minimumLength
    }

    /// Frame 0 of the round in preparation; begins a new round if the last one's frame 0 is before `now`.
    func zero(at now: TestTime) -> TestTime {
        let (zero, players) = state.withLock { state in
            if let round = state.rounds.last, now <= round.zero {
                return (round.zero, [] as [@Sendable (TestTime) -> Bool])
            }
            let round = Round(begin: now, zero: now + offset, length: minimumLength)
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
    func add(at now: TestTime, _ play: @escaping @Sendable (_ zero: TestTime) -> Bool) {
        let zero = zero(at: now)
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

    /// The number of the current round; nil before the first one.
    var current: Int? { state.withLock { $0.rounds.indices.last } }

    /// The end of a round, which is later once a longer diagram has been read.
    func end(of round: Int) -> TestTime { state.withLock { $0.rounds[round].end } }

    /// Converts a subscription to frames of its round. One that lasts to the end of the round has no disposal.
    func frames(of subscription: Subscription) -> Subscription {
        let rounds = state.withLock { $0.rounds }
        guard let round = rounds.last(where: { $0.begin <= subscription.subscribe }) else { return subscription }
        let begin = subscription.subscribe - round.zero
        guard subscription.unsubscribe < round.end else { return Subscription(begin) }
        return Subscription(begin, subscription.unsubscribe - round.zero)
    }
}
