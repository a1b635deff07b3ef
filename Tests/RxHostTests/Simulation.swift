import Glibc
import RxPlatform

/// A platform in one thread whose time, random numbers, and order of work follow from a seed.
///
/// Nothing happens between calls of `run`. Time passes only when there is nothing else to do, and then at once, up to
/// the next timer. Of several queues with work, the seed decides which is next.
// Unchecked: used by one thread, which each entry checks.
final class Simulation: @unchecked Sendable {
    /// 2023-11-14T22:13:20Z.
    static let start: Int64 = 1_700_000_000_000

    private struct Alarm {
        var due: Duration
        let period: Duration?
        let number: Int
        let queue: SimulatedQueue
        let body: @Sendable () -> Void
    }

    private let thread = pthread_self()
    private var random: UInt64
    private(set) var now = Duration.zero
    /// By how much the time of day was changed. Forward, this is also the time for which the machine was suspended:
    /// the monotonic clock does not count it.
    var clockChange = Duration.zero
    private var alarms: [Alarm] = []
    private var alarmsMade = 0
    /// The queues with work, in the order in which they got it.
    private var ready: [SimulatedQueue] = []

    init(seed: UInt64) { random = seed }

    var platform: Platform { platform(on: .system) }

    func platform(on disk: Disk) -> Platform {
        let queue: @Sendable (String) -> WorkQueue = { SimulatedQueue(self, $0) }
        return Platform(
            wallClock: WallClock { Self.start + Int64((self.now + self.clockChange) / .milliseconds(1)) },
            monotonicClock: MonotonicClock { self.now }, entropy: Entropy { self.next() },
            queues: Queues(shared: queue("shared"), serial: queue),
            cores: Cores(clock: MonotonicClock { self.now }) {}, disk: disk)
    }

    /// SplitMix64.
    func next() -> UInt64 {
        checkThread()
        random &+= 0x9E37_79B9_7F4A_7C15
        var mixed = (random ^ random >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return mixed ^ mixed >> 31
    }

    /// Runs all work and all timers until nothing is left to do; with a `limit`, until that time.
    func run(until limit: Duration? = nil) {
        while true {
            if !ready.isEmpty {
                let queue = ready.remove(at: Int(next() % UInt64(ready.count)))
                if queue.runNext() { ready.append(queue) }
            } else if let alarm = alarms.min(by: { ($0.due, $0.number) < ($1.due, $1.number) }),
                alarm.due <= limit ?? alarm.due
            {
                goOff(alarm)
            } else {
                return now = limit ?? now
            }
        }
    }

    private func goOff(_ alarm: Alarm) {
        now = max(now, alarm.due)
        let place = alarms.firstIndex { $0.number == alarm.number }!
        if let period = alarm.period { alarms[place].due += period } else { alarms.remove(at: place) }
        alarm.queue.async(alarm.body)
    }

    fileprivate func hasWork(_ queue: SimulatedQueue) { ready.append(queue) }

    fileprivate func hasNoWork(_ queue: SimulatedQueue) { ready.removeAll { $0 === queue } }

    fileprivate func add(
        after delay: Duration, every period: Duration?, on queue: SimulatedQueue, _ body: @escaping @Sendable () -> Void
    ) -> QueueTimer {
        checkThread()
        alarmsMade += 1
        let number = alarmsMade
        alarms.append(Alarm(due: now + delay, period: period, number: number, queue: queue, body: body))
        return QueueTimer { self.alarms.removeAll { $0.number == number } }
    }

    fileprivate func checkThread() { precondition(pthread_equal(thread, pthread_self()) != 0, "another thread") }
}

/// A serial queue of a simulation.
// Unchecked: used by one thread.
private final class SimulatedQueue: WorkQueue, @unchecked Sendable {
    private let simulation: Simulation
    private let label: String
    private var work: [@Sendable () -> Void] = []
    private var isRunning = false

    init(_ simulation: Simulation, _ label: String) {
        self.simulation = simulation
        self.label = label
        super.init()
    }

    override func async(_ body: @escaping @Sendable () -> Void) {
        simulation.checkThread()
        work.append(body)
        if work.count == 1 { simulation.hasWork(self) }
    }

    override func run(_ body: () -> Void) {
        simulation.checkThread()
        precondition(!isRunning, "\(label) waits for itself")
        simulation.hasNoWork(self)
        while runNext() {}
        body()
    }

    override func timer(
        after delay: Duration, every period: Duration?, leeway: Duration, _ body: @escaping @Sendable () -> Void
    ) -> QueueTimer {
        simulation.add(after: delay, every: period, on: self, body)
    }

    /// - Returns: whether there is more.
    func runNext() -> Bool {
        guard let first = work.first else { return false }
        isRunning = true
        first()
        isRunning = false
        work.removeFirst()
        return !work.isEmpty
    }
}
