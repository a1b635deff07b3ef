internal import Glibc
internal import RxProtocol

/// What to do about a socket that cannot be connected to.
enum SocketAdvice {
    /// The group that may use the socket of the service; see systemd/rxd.socket.
    private static let serviceGroup = "rxd"

    static func text(for path: String, _ errno: Int32) -> String {
        text(for: path, errno, environment: { getenv($0).map { String(cString: $0) } })
    }

    static func text(for path: String, _ errno: Int32, environment: (String) -> String?) -> String {
        let isService = path == DefaultSocketPath.system
        let isOfUser = path == DefaultSocketPath.ofUser(environment: environment)
        switch errno {
        case ENOENT, ECONNREFUSED:
            let start =
                isService
                ? "run `systemctl start rxd.socket`"
                : "start rxd, such as by `systemctl \(isOfUser ? "--user " : "")start rxd.socket`"
            return "; \(start), or name another socket with --socket"
        case EACCES, EPERM:
            let group = isService ? serviceGroup : group(of: path) ?? serviceGroup
            return "; join the group \(group), or name another socket with --socket"
        default:
            return ""
        }
    }

    /// The name of the group that may use the socket; nil if none may, or it cannot be seen.
    private static func group(of path: String) -> String? {
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & S_IWGRP != 0, status.st_gid != 0 else { return nil }
        return getgrgid(status.st_gid).map { String(cString: $0.pointee.gr_name) }
    }
}
