/// The service manager's side of a daemon: readiness, the watchdog, inherited sockets, and the journal.
///
/// Rules a user must know:
/// * `ServiceManager.inherit()` comes first in `main`, once, while there is one thread: it takes what systemd left in
///   the environment (`NOTIFY_SOCKET`, `WATCHDOG_*`, `LISTEN_*`) and removes it, so that no child ever sees it.
/// * Everything is a no-op for a process that systemd did not start; no caller needs to ask.
/// * Nothing here waits long: news to the manager and log records are given up rather than holding a thread.
///
/// Reading order: `ServiceManager`, `Notifier`, `SocketActivation`, `Watchdog`; then the journal: `JournalLogHandler`,
/// `LogDestination`, `JournalRecord`, `JournalSocket`, `StandardError`, `LogLine`; `DatagramSocket` is what carries both.
///
/// libsystemd reads the environment. Its `sd_notify` is not used because it looks for `NOTIFY_SOCKET` at each call,
/// when it must be gone already, nor `sd_journal_sendv`, which waits for as long as a stuck journal likes.

/// What systemd handed to this process when it started it.
public struct ServiceManager: Sendable {
    public let notifier: Notifier
    /// How often systemd wants to be fed, or nil if nobody watches.
    public let watchdogInterval: Duration?
    /// The sockets of the unit's `.socket` files, in the order of these.
    public let sockets: [InheritedSocket]

    /// Takes the inheritance and clears it from the environment. A second call finds nothing.
    ///
    /// `setenv` and `getenv` race: call it before there is a second thread.
    public static func inherit() -> ServiceManager {
        ServiceManager(
            notifier: Notifier.inherit(), watchdogInterval: Watchdog.inheritInterval(),
            sockets: SocketActivation.inherit())
    }
}
