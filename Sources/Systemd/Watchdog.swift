import CSystemd
public import RxPlatform
import Synchronization

/// Sends keep-alives to systemd's watchdog as long as every essential part of the daemon makes progress.
///
/// In each round every part, in order, must answer from its own execution: the event loop from a turn, the scheduler
/// from a block. After the last answer the keep-alive is sent. If a part hangs, the round never ends, no other begins,
/// and systemd terminates the daemon. A late answer still counts as progress.
public final class Watchdog: Sendable {
    /// A part of the daemon that must make progress.
    public struct Party: Sendable {
        /// The name of the part, for the log.
        public let name: String
        let detail: @Sendable () -> String?
        let ask: @Sendable (_ answer: @escaping @Sendable () -> Void) -> Void

        /// Creates a party.
        ///
        /// - Parameters:
        ///   - name: the name that `onStall` receives.
        ///   - detail: what of the part has not answered, which `onStall` receives after the name; nil: nothing.
        ///   - ask: passes `answer` to the part and returns at once. The part calls `answer` from its own execution.
        ///     `ask` runs on the watchdog's queue for the first party, and where the previous party answered for the
        ///     others.
        public init(
            _ name: String, detail: @escaping @Sendable () -> String? = { nil },
            ask: @escaping @Sendable (_ answer: @escaping @Sendable () -> Void) -> Void
        ) {
            self.name = name
            self.detail = detail
            self.ask = ask
        }
    }

    /// Rounds per interval: two may be late before systemd acts.
    static let roundsPerInterval = 3

    private let parties: [Party]
    private let feed: @Sendable () -> Void
    private let onStall: @Sendable (_ party: String) -> Void
    private let period: Duration
    private let queue: WorkQueue
    private let timer = Mutex<QueueTimer?>(nil)
    // The step counter. Each round has one step more than there are parties. A multiple of that count means that no
    // round is under way; any other value identifies the party that must answer next.
    private let step = Atomic<Int>(0)

    /// Creates a watchdog that does not run yet.
    ///
    /// - Parameters:
    ///   - interval: the longest time between keep-alives that systemd allows; rounds begin three times as often.
    ///   - parties: the parts of the daemon that must answer, asked in this order.
    ///   - queues: make a queue for the watchdog alone, which must run even when the shared threads are exhausted.
    ///   - feed: sends a keep-alive, usually `Notifier.watchdog`. Called where the last party answered.
    ///   - onStall: receives the name of a party that has not answered when the next round is due, each time, on the
    ///     watchdog's queue.
    public init(
        interval: Duration, parties: [Party], queues: Queues = .system, feed: @escaping @Sendable () -> Void,
        onStall: @escaping @Sendable (_ party: String) -> Void = { _ in }
    ) {
        self.parties = parties
        self.feed = feed
        self.onStall = onStall
        // Dispatch gives a queue of its own a thread even when the pool is exhausted.
        queue = queues.serial("rxd.watchdog")
        period = .microseconds(max(1, interval.microseconds / Int64(Self.roundsPerInterval)))
    }

    deinit { timer.withLock { $0?.cancel() } }

    /// Starts the rounds at once. They stop when the watchdog is released. To be called once.
    public func start() {
        let started = queue.timer(after: .zero, every: period, leeway: period / 10) { [weak self] in
            self?.beginRound()
        }
        timer.withLock { $0 = started }
    }

    /// Returns the interval from `WATCHDOG_USEC` if `WATCHDOG_PID` names this process. Removes the variables in any
    /// case.
    public static func inheritInterval() -> Duration? {
        var microseconds: UInt64 = 0
        guard sd_watchdog_enabled(1, &microseconds) > 0 else { return nil }
        return .microseconds(Int64(clamping: microseconds))
    }

    /// Begins a round, or reports a stall if the last one is still open. Tests call it instead of the timer.
    func beginRound() {
        let current = step.load(ordering: .acquiring)
        if let waiting = party(at: current) {
            return onStall(waiting.name + (waiting.detail().map { " (\($0))" } ?? ""))
        }
        advance(from: current)
    }

    /// Takes the next step unless another thread did. A repeated or very late answer has no effect.
    private func advance(from current: Int) {
        let next = parties.isEmpty ? current : current + 1
        guard step.compareExchange(expected: current, desired: next, ordering: .acquiringAndReleasing).exchanged else {
            return
        }
        guard let party = party(at: next) else { return feed() }
        // An answer in flight retains the watchdog.
        party.ask { self.advance(from: next) }
    }

    private func party(at step: Int) -> Party? {
        let position = step % (parties.count + 1)
        return position == 0 ? nil : parties[position - 1]
    }
}
