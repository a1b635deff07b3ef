public import RxLoop
public import RxPlatform

// Sendable: the mutable state belongs to the queue.
/// The buses of a daemon: at most one connection to each, opened with the first stream that needs it, and closed after
/// the last one.
public final class BusConnections: @unchecked Sendable {
    /// Everything that has to do with buses happens here.
    let queue: WorkQueue
    let clock: WallClock
    /// The bus whose systemd has the units of the daemon: its user's for a user daemon.
    let unitBus: BusKind
    private let system: any BusSystem
    private var connections: [BusKind: BusConnection] = [:]

    /// The buses of the machine. Opens nothing.
    ///
    /// - Parameters:
    ///   - loop: waits for the sockets; it must run as long as a stream uses a bus.
    ///   - isUserDaemon: whether units are those of the user's own manager.
    public convenience init(loop: EventLoop, platform: Platform, isUserDaemon: Bool) {
        self.init(
            SdBusSystem(loop: loop, clock: platform.monotonicClock), platform: platform, isUserDaemon: isUserDaemon)
    }

    init(_ system: any BusSystem, platform: Platform, isUserDaemon: Bool) {
        self.system = system
        queue = platform.queues.serial("rxd.bus")
        clock = platform.wallClock
        unitBus = isUserDaemon ? .user : .system
    }

    /// The connection to a bus, which is opened when something is attached to it. On the queue only.
    func connection(to bus: BusKind) -> BusConnection {
        if let known = connections[bus] { return known }
        let made = BusConnection(bus, system, on: queue)
        connections[bus] = made
        return made
    }
}
