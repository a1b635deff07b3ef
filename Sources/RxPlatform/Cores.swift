internal import Glibc
internal import Synchronization

/// The cores of the machine, which long work shares with threads that need one for microseconds: the loop, and clients.
///
/// The kernel takes a core away from a thread after milliseconds. A thread that wakes up on that core meanwhile waits
/// until then, even if another core is free by that time. So long work yields often, as long as that costs little.
public final class Cores: Sendable {
    /// The time from one yield to the next.
    static let interval = Duration.microseconds(30)
    /// A yield that takes longer shows that others keep the cores busy: then the kernel shares them out.
    static let longYield = Duration.microseconds(300)
    /// After a long yield, the next one comes after so many times its duration.
    static let rarity = 10

    private let clock: MonotonicClock
    private let yield: @Sendable () -> Void
    /// When the next yield is due, on `clock`, in nanoseconds.
    private let due = Atomic<Int64>(.min)

    /// - Parameters:
    ///   - clock: the clock that measures yields.
    ///   - yield: lets others run on the core of the calling thread, and returns after them.
    public init(clock: MonotonicClock, yield: @escaping @Sendable () -> Void) {
        self.clock = clock
        self.yield = yield
    }

    /// The machine's.
    public static let system = Cores(clock: .system) { sched_yield() }

    /// Lets others run if the last yield of any thread is long enough ago. Any thread, without locks that others may
    /// wait for.
    public func yieldIfDue() {
        let begin = clock.now
        guard begin.nanoseconds >= due.load(ordering: .relaxed) else { return }
        yield()
        let end = clock.now
        let taken = end - begin
        let pause = taken > Self.longYield ? taken * Self.rarity : Self.interval
        due.store((end + pause).nanoseconds, ordering: .relaxed)
    }
}

extension Duration {
    /// 292 years, at most.
    fileprivate var nanoseconds: Int64 { components.seconds * 1_000_000_000 + components.attoseconds / 1_000_000_000 }
}
