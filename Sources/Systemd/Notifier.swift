import Glibc

/// Tells the service manager how the daemon is doing: the protocol of `sd_notify(3)`.
///
/// May be used from any thread. Without a manager every method does nothing.
public final class Notifier: Sendable {
    /// How long a change of state may wait for a manager that is busy. Status and watchdog never wait: the next one
    /// says the same.
    static let patience: Duration = .seconds(1)

    private let socket: DatagramSocket?

    /// `socketPath` as in `NOTIFY_SOCKET`: absolute, or `@name`. Anything else, or nil, makes a notifier that is silent.
    public init(socketPath: String?) {
        socket = socketPath.flatMap(DatagramSocket.init(path:))
        guard let socket else { return }
        var wait = timeval(tv_sec: Int(Self.patience.components.seconds), tv_usec: 0)
        setsockopt(
            socket.fileDescriptor, SOL_SOCKET, SO_SNDTIMEO, &wait, socklen_t(MemoryLayout<timeval>.size))
    }

    /// The notifier for `NOTIFY_SOCKET`, which is removed from the environment.
    public static func inherit() -> Notifier {
        defer { unsetenv("NOTIFY_SOCKET") }
        return Notifier(socketPath: getenv("NOTIFY_SOCKET").map { String(cString: $0) })
    }

    /// Whether there is a manager to talk to.
    public var isConnected: Bool { socket != nil }

    /// The start, or a reload, is done.
    public func ready(status: String? = nil) {
        tell("READY=1" + Self.statusLine(status))
    }

    /// One line for people, shown by `systemctl status`.
    public func status(_ text: String) {
        tell(String(Self.statusLine(text).dropFirst()), flags: Int(MSG_DONTWAIT))
    }

    /// A reload has begun; `ready` ends it, also when the old configuration was kept.
    public func reloading(status: String? = nil) {
        var now = timespec()
        clock_gettime(CLOCK_MONOTONIC, &now)
        let microseconds = now.tv_sec * 1_000_000 + now.tv_nsec / 1000
        tell("RELOADING=1\nMONOTONIC_USEC=\(microseconds)" + Self.statusLine(status))
    }

    /// The daemon has begun to stop.
    public func stopping(status: String? = nil) {
        tell("STOPPING=1" + Self.statusLine(status))
    }

    /// Asks for `extra` from now on for what is under way: the start, a reload or the stop.
    public func extendTimeout(by extra: Duration) {
        tell("EXTEND_TIMEOUT_USEC=\(max(0, extra.microseconds))")
    }

    /// The daemon lives. `Watchdog` decides when to say so.
    public func watchdog() {
        tell("WATCHDOG=1", flags: Int(MSG_DONTWAIT))
    }

    private func tell(_ assignments: String, flags: Int = 0) {
        guard let socket else { return }
        while socket.send(assignments, flags: Int32(flags)) == EINTR {}
    }

    /// A newline would begin another assignment.
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
