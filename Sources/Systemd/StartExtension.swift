import RxPlatform
import Synchronization

/// Requests more time from the service manager while a start makes progress.
///
/// A start may take longer than the unit's `TimeoutStartSec`: after a crash, whole databases are checked. Each round
/// compares the processor time of the process with that of the last round. If it has grown, the start has `grant` from
/// then on. A start that hangs, for example on a dead disk, uses no processor time and gets none; nor does one that
/// takes longer than `longest`.
final class StartExtension: Sendable {
    /// The time between rounds.
    static let period = Duration.seconds(5)
    /// The time that a round requests. Longer than a period, so that a round may be late.
    static let grant = Duration.seconds(30)
    /// The longest start: many times what a check of databases with the default bounds takes on a slow disk.
    static let longest = Duration.seconds(3600)
    /// The processor time that counts as progress: more than a round itself takes.
    static let leastProgress = Duration.milliseconds(1)

    private let extend: @Sendable (Duration) -> Void
    private let queue: WorkQueue
    private let clock: MonotonicClock
    private let processorTime: MonotonicClock
    private let begun: Duration
    private let state: Mutex<State>

    private struct State {
        /// The processor time at the last round.
        var used: Duration
        var isOver = false
        var timer: QueueTimer?
    }

    /// An extension of a start that begins now.
    ///
    /// - Parameter extend: requests a time from now on. Called on a queue of the extension.
    init(on platform: Platform, extend: @escaping @Sendable (Duration) -> Void) {
        self.extend = extend
        queue = platform.queues.serial("rxd.start")
        clock = platform.monotonicClock
        processorTime = platform.processorTime
        begun = clock.now
        state = Mutex(State(used: processorTime.now))
    }

    deinit { end() }

    /// Begins the rounds. To be called once.
    func begin() {
        let timer = queue.timer(after: Self.period, every: Self.period, leeway: .zero) { [weak self] in self?.round() }
        state.withLock { $0.timer = timer }
    }

    /// The start is complete: there are no more rounds.
    func end() {
        let timer = state.withLock { state in
            state.isOver = true
            return state.timer.take()
        }
        timer?.cancel()
    }

    /// Requests more time if there was progress since the last round. Tests call it instead of the timer.
    func round() {
        let used = processorTime.now
        let isExtended = state.withLock { state in
            defer { state.used = used }
            return !state.isOver && used - state.used >= Self.leastProgress && clock.now - begun < Self.longest
        }
        if isExtended { extend(Self.grant) }
    }
}
