import CSystemd
import Dispatch
import Synchronization

/// Feeds systemd's watchdog for as long as every part of the daemon that matters makes progress.
///
/// Each part is asked in turn, in the order given, and answers from the inside: the event loop from a turn of its own,
/// the scheduler from a block it ran. When the last one has answered, the feed goes out. A part that hangs never answers,
/// no further round begins, and systemd ends the daemon. A late answer still counts: it is progress.
public final class Watchdog: Sendable {
    /// A part of the daemon that must make progress.
    public struct Party: Sendable {
        public let name: String
        let ask: @Sendable (_ answer: @escaping @Sendable () -> Void) -> Void

        /// `ask` hands `answer` to the part and returns at once; the part calls it where its work is done. It is called on
        /// a queue of the watchdog's (the first party) or where the party before it answered.
        public init(_ name: String, ask: @escaping @Sendable (_ answer: @escaping @Sendable () -> Void) -> Void) {
            self.name = name
            self.ask = ask
        }
    }

    /// Rounds within one interval: two may be late before systemd loses patience.
    static let roundsPerInterval = 3

    private let parties: [Party]
    private let feed: @Sendable () -> Void
    private let onStall: @Sendable (_ party: String) -> Void
    // Dispatch does not say so, but its sources may be used from any thread.
    nonisolated(unsafe) private let timer: any DispatchSourceTimer
    // Counts steps, of which a round has one more than there are parties: a multiple of that means that no round is under
    // way, and any other number which party is to answer.
    private let step = Atomic<Int>(0)

    /// - Parameters:
    ///   - interval: the time systemd allows between feeds; a round begins three times as often.
    ///   - feed: sends the feed; `Notifier.watchdog` as a rule. Called where the last party answered.
    ///   - onStall: called with the name of a party that has not answered by the time the next round is due, at each such
    ///     time, on a queue of the watchdog's.
    public init(
        interval: Duration, parties: [Party], feed: @escaping @Sendable () -> Void,
        onStall: @escaping @Sendable (_ party: String) -> Void = { _ in }
    ) {
        self.parties = parties
        self.feed = feed
        self.onStall = onStall
        // A queue of its own: Dispatch gives it a thread even when all of the pool's are taken.
        timer = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "rxd.watchdog"))
        let period = max(1, Int(interval.microseconds) / Self.roundsPerInterval)
        timer.schedule(deadline: .now(), repeating: .microseconds(period), leeway: .microseconds(period / 10))
        timer.setEventHandler { [weak self] in self?.beginRound() }
    }

    deinit {
        // Dispatch traps on releasing a source that was never resumed.
        timer.activate()
        timer.cancel()
    }

    /// Begins to feed, at once. The watchdog lives for as long as its owner keeps it.
    public func start() {
        timer.activate()
    }

    /// The interval of `WATCHDOG_USEC`, if `WATCHDOG_PID` means this process. The variables are removed in any case.
    public static func inheritInterval() -> Duration? {
        var microseconds: UInt64 = 0
        guard sd_watchdog_enabled(1, &microseconds) > 0 else { return nil }
        return .microseconds(Int64(clamping: microseconds))
    }

    /// Begins a round, or complains that the last one is still open. Tests call it in the timer's place.
    func beginRound() {
        let current = step.load(ordering: .acquiring)
        if let waiting = party(at: current) { return onStall(waiting.name) }
        advance(from: current)
    }

    /// Takes the next step, unless somebody else did: an answer given twice, or long after, changes nothing.
    private func advance(from current: Int) {
        let next = parties.isEmpty ? current : current + 1
        guard step.compareExchange(expected: current, desired: next, ordering: .acquiringAndReleasing).exchanged else {
            return
        }
        guard let party = party(at: next) else { return feed() }
        // An answer in flight keeps the watchdog alive.
        party.ask { self.advance(from: next) }
    }

    private func party(at step: Int) -> Party? {
        let position = step % (parties.count + 1)
        return position == 0 ? nil : parties[position - 1]
    }
}
