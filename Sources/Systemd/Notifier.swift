import Glibc
public import RxPlatform
import Synchronization

/// Reports the state of the daemon to the service manager with the protocol of `sd_notify(3)`.
///
/// Thread-safe. Without a manager every method does nothing.
public final class Notifier: Sendable {
    /// How long a state change may wait for a busy manager. Status and watchdog messages never wait, because the next
    /// one repeats them.
    static let patience: Duration = .seconds(1)

    private let socket: DatagramSocket?
    private let clock: MonotonicClock
    /// Until `ready`.
    private let start = Mutex<StartExtension?>(nil)

    /// Creates a notifier for a path as in `NOTIFY_SOCKET`: absolute, or `@name`. With any other path, or nil, it sends
    /// nothing.
    ///
    /// - Parameters:
    ///   - socketPath: the path; nil for none.
    ///   - clock: CLOCK_MONOTONIC, which the manager compares with its own.
    public init(socketPath: String?, clock: MonotonicClock = .system) {
        self.clock = clock
        socket = socketPath.flatMap(DatagramSocket.init(path:))
        guard let socket else { return }
        var wait = timeval(tv_sec: Int(Self.patience.components.seconds), tv_usec: 0)
        setsockopt(
            socket.fileDescriptor, SOL_SOCKET, SO_SNDTIMEO, &wait, socklen_t(MemoryLayout<timeval>.size))
    }

    /// Creates the notifier for `NOTIFY_SOCKET` and removes the variable from the environment.
    public static func inherit(clock: MonotonicClock = .system) -> Notifier {
        defer { unsetenv("NOTIFY_SOCKET") }
        return Notifier(socketPath: getenv("NOTIFY_SOCKET").map { String(cString: $0) }, clock: clock)
    }

    /// Whether a manager is connected.
    public var isConnected: Bool { socket != nil }

    /// Requests more time for the start, from now until `ready`, as long as it makes progress. To be called once.
    public func extendStart(on platform: Platform) {
        guard isConnected else { return }
        let start = StartExtension(on: platform) { [weak self] in self?.extendTimeout(by: $0) }
        self.start.withLock { $0 = start }
        start.begin()
    }

    /// Reports that the start or a reload is complete.
    public func ready(status: String? = nil) {
        start.withLock { $0.take() }?.end()
        send("READY=1" + Self.statusLine(status))
    }

    /// Reports a one-line status, which `systemctl status` prints.
    public func status(_ text: String) {
        send(String(Self.statusLine(text).dropFirst()), flags: Int(MSG_DONTWAIT))
    }

    /// Reports the start of a reload. `ready` ends it, even if the old configuration was kept.
    public func reloading(status: String? = nil) {
        send("RELOADING=1\nMONOTONIC_USEC=\(clock.now.microseconds)" + Self.statusLine(status))
    }

    /// Reports that the daemon is stopping.
    public func stopping(status: String? = nil) {
        send("STOPPING=1" + Self.statusLine(status))
    }

    /// Requests `extra` time, from now on, for the start, reload, or stop in progress.
    public func extendTimeout(by extra: Duration) {
        send("EXTEND_TIMEOUT_USEC=\(max(0, extra.microseconds))")
    }

    /// Sends a watchdog keep-alive. `Watchdog` decides when.
    public func watchdog() {
        send("WATCHDOG=1", flags: Int(MSG_DONTWAIT))
    }

    private func send(_ assignments: String, flags: Int = 0) {
        guard let socket else { return }
        while socket.send(assignments, flags: Int32(flags)) == EINTR {}
    }

    /// Removes newlines, which would begin another assignment.
    private static func statusLine(_ text: String?) -> String {
        guard let text else { return "" }
        return "\nSTATUS=" + String(text.map { $0.isNewline ? " " : $0 })
    }
}

extension Duration {
    /// Whole microseconds, the unit of systemd's protocols.
    var microseconds: Int64 {
        components.seconds * 1_000_000 + components.attoseconds / 1_000_000_000_000
    }
}
