internal import CMalloc
internal import Glibc
internal import RxLoop
internal import RxPlatform
internal import RxSources
internal import RxTime
internal import Synchronization

/// Alarms of the system's clock: what a pending one takes, what it costs to set and to cancel one, and how late they
/// are called.
@main
struct AlarmBenchmarks {
    private static let pending = 100_000
    private static let queue = Queues.system.serial("alarms")

    static func main() throws {
        let loop = try EventLoop()
        let clock = try SystemAlarmClock(loop: loop)
        loop.start(name: "alarms")
        try measureMany(clock)
        measureDescending(clock)
        measureLateness(clock)
        loop.stop()
        loop.join()
    }

    /// Alarms far in the future, in random order, whose bodies capture a weak reference, as those of sources do.
    private static func measureMany(_ clock: SystemAlarmClock) throws {
        let start = clock.now.adding(microseconds: 3_600_000_000)
        var dice = SystemRandomNumberGenerator()
        let instants = (0..<pending).map { _ in
            start.adding(microseconds: Int64.random(in: 0..<86_400_000_000, using: &dice))
        }
        let owner = Owner()
        var alarms: [Alarm] = []
        alarms.reserveCapacity(pending)
        let before = cmalloc_used_bytes()
        let set = nanoseconds {
            for instant in instants {
                alarms.append(clock.schedule(at: instant, on: queue) { [weak owner] in owner?.fire() })
            }
        }
        let bytes = cmalloc_used_bytes() - before
        print("pending: \(bytes / pending) bytes each of \(pending)")
        print("set: \(set / pending) ns")
        let replaced = nanoseconds {
            for place in alarms.indices {
                clock.cancel(alarms[place])
                alarms[place] = clock.schedule(at: instants[pending - 1 - place], on: queue) { [weak owner] in
                    owner?.fire()
                }
            }
        }
        let grown = withExtendedLifetime(instants) { Int(cmalloc_used_bytes()) - Int(before) - Int(bytes) }
        print("cancel and set again: \(replaced / pending) ns; \(grown) bytes more than before")
        alarms.shuffle(using: &dice)
        print("cancel: \(nanoseconds { for alarm in alarms { clock.cancel(alarm) } } / pending) ns")
    }

    /// The worst order: each alarm is the first, so that the kernel's timer is set for each.
    private static func measureDescending(_ clock: SystemAlarmClock) {
        let start = clock.now.adding(microseconds: 7_200_000_000)
        let owner = Owner()
        var alarms: [Alarm] = []
        let set = nanoseconds {
            for place in 0..<pending {
                let instant = start.adding(microseconds: -Int64(place) * 1000)
                alarms.append(clock.schedule(at: instant, on: queue) { [weak owner] in owner?.fire() })
            }
        }
        for alarm in alarms { clock.cancel(alarm) }
        print("set, each before all others: \(set / pending) ns")
    }

    /// A thousand alarms, 5 ms apart, and beside them what the machine does for a thread that sleeps until then.
    private static func measureLateness(_ clock: SystemAlarmClock) {
        let count = 1000
        let lateness = Mutex<[Int64]>([])
        let start = clock.now.adding(microseconds: 50_000)
        for place in 0..<count {
            let instant = start.adding(microseconds: Int64(place) * 5000)
            clock.schedule(at: instant, on: queue) {
                lateness.withLock { $0.append(clock.now.microseconds - instant.microseconds) }
            }
        }
        var asleep: [Int64] = []
        for place in 0..<count {
            let instant = start.microseconds + Int64(place) * 5000
            var time = timespec(tv_sec: Int(instant / 1_000_000), tv_nsec: Int(instant % 1_000_000 * 1000))
            clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &time, nil)
            asleep.append(clock.now.microseconds - instant)
        }
        for _ in 0..<100 where lateness.withLock({ $0.count }) < count { usleep(20_000) }
        show("late", lateness.withLock { $0 })
        show("late, a thread that sleeps", asleep)
    }

    private static func show(_ name: String, _ lateness: [Int64]) {
        let sorted = lateness.sorted()
        func share(_ percent: Int) -> Int64 { sorted[(sorted.count - 1) * percent / 100] }
        print("\(name): median \(share(50)) us, p99 \(share(99)) us, most \(share(100)) us, of \(sorted.count)")
    }

    private static func nanoseconds(_ body: () -> Void) -> Int {
        let time = ContinuousClock().measure(body).components
        return Int(time.seconds) * 1_000_000_000 + Int(time.attoseconds / 1_000_000_000)
    }

    // Nothing calls it: the alarms are canceled.
    private final class Owner: Sendable {
        func fire() {}
    }
}
