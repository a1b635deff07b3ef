public import RxPlatform

/// Systemd: the service manager's interface for a daemon: readiness, the watchdog, inherited sockets, and the journal.
///
/// Rules for users:
/// * Call `ServiceManager.inherit()` first in `main`, once, while there is one thread. It reads systemd's variables
///   (`NOTIFY_SOCKET`, `WATCHDOG_*`, `LISTEN_*`) and removes them from the environment, so that no child inherits them.
/// * Without systemd everything is a no-op; callers need not check.
/// * Nothing waits long: notifications and log records are dropped rather than blocking a thread.
///
/// Reading order: `ServiceManager`, `Notifier`, `StartExtension`, `SocketActivation`, `Watchdog`; then the journal:
/// `JournalLogHandler`, `LogDestination`, `JournalRecord`, `JournalSocket`, `StandardError`, `LogLine`;
/// `DatagramSocket` carries notifications and records.
///
/// libsystemd reads the environment. Its `sd_notify` is not used because it reads `NOTIFY_SOCKET` at each call, when
/// the variable is already removed; nor is `sd_journal_sendv`, which waits indefinitely for a stuck journal.

/// What systemd passed to this process at its start.
public struct ServiceManager: Sendable {
    /// The connection to the service manager; sends nothing without one.
    public let notifier: Notifier
    /// The longest time between watchdog keep-alives; nil if the watchdog is off.
    public let watchdogInterval: Duration?
    /// The sockets of the unit's `.socket` files, in their order.
    public let sockets: [InheritedSocket]

    /// Reads systemd's variables and removes them from the environment. A second call finds nothing.
    ///
    /// `setenv` and `getenv` race: call it before starting a second thread.
    public static func inherit(platform: Platform = .system) -> ServiceManager {
        ServiceManager(
            notifier: Notifier.inherit(clock: platform.monotonicClock), watchdogInterval: Watchdog.inheritInterval(),
            sockets: SocketActivation.inherit())
    }
}
