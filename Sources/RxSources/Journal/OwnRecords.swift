internal import CSystemd
internal import Glibc
public import RxPlatform

/// The records that a daemon wrote itself: those of its service, and thus the standard error of its actions and what
/// they write to the journal; without a service, those of its process. A stream of them would feed itself.
///
/// journald does not know the unit of a process that ended at once, such as `logger` in an action. Such a record is the
/// daemon's own if its user is the daemon's, provided that this user is the daemon's alone: not root, and not a person.
///
/// What systemd writes about the daemon's service is not the daemon's own.
public struct OwnRecords: Sendable, Hashable {
    let unit: String?
    let userUnit: String?
    let pid: String
    let uid: String
    /// When the process began, in microseconds since 1970-01-01T00:00:00Z. Before, its pid was another's.
    let microseconds: UInt64

    init(unit: String?, userUnit: String?, pid: String, uid: String, since microseconds: UInt64) {
        self.unit = unit
        self.userUnit = userUnit
        self.pid = pid
        self.uid = uid
        self.microseconds = microseconds
    }

    /// The records of this process. Call it at the start: the process counts as begun now.
    public static func ofThisProcess(clock: WallClock) -> OwnRecords {
        OwnRecords(
            unit: service(sd_pid_get_unit), userUnit: service(sd_pid_get_user_unit), pid: String(getpid()),
            uid: String(geteuid()), since: UInt64(clamping: clock.milliseconds) * 1000)
    }

    /// Whether a record is one of them.
    func contain(_ origin: JournalOrigin) -> Bool {
        if let userUnit { return origin.userUnit == userUnit && origin.unit == unit }
        if let unit { return origin.unit == unit || (origin.unit == nil && origin.uid == uid && uid != Self.root) }
        return origin.pid == pid && origin.microseconds >= microseconds
    }

    private static let root = "0"

    /// The unit of the process, if it is a service. The scope of a login has other programs in it.
    private static func service(
        _ unit: (pid_t, UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?) -> Int32
    ) -> String? {
        var text: UnsafeMutablePointer<CChar>?
        guard unit(0, &text) >= 0, let text else { return nil }
        defer { free(text) }
        let name = String(cString: text)
        return name.hasSuffix(".service") ? name : nil
    }
}
