/// Everything outside the process that the daemon's modules use. A class, so that passing it on is cheap.
public final class Platform: Sendable {
    /// The time of day.
    public let wallClock: WallClock
    /// The time that measures waits.
    public let monotonicClock: MonotonicClock
    /// The processor time of the process, which shows whether it works.
    public let processorTime: MonotonicClock
    /// Random numbers.
    public let entropy: Entropy
    /// Threads, as queues and timers.
    public let queues: Queues
    /// The cores that long work shares with others.
    public let cores: Cores
    /// The files of the state.
    public let disk: Disk
    /// Signals that the process does not wait for.
    public let signals: Signals
    /// The allocator of the process.
    public let allocator: Allocator

    /// A platform of the system's parts, unless given.
    public init(
        wallClock: WallClock = .system, monotonicClock: MonotonicClock = .system,
        processorTime: MonotonicClock = .processorTime, entropy: Entropy = .system, queues: Queues = .system,
        cores: Cores = .system, disk: Disk = .system, signals: Signals = .system, allocator: Allocator = .system
    ) {
        self.wallClock = wallClock
        self.monotonicClock = monotonicClock
        self.processorTime = processorTime
        self.entropy = entropy
        self.queues = queues
        self.cores = cores
        self.disk = disk
        self.signals = signals
        self.allocator = allocator
    }

    /// The machine that the process runs on.
    public static let system = Platform()
}
