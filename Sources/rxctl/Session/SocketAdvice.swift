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
            let unseen = isService ? "join the group \(serviceGroup)" : "ask for access to its directory"
            return "; \(access(to: path) ?? unseen), or name another socket with --socket"
        default:
            return ""
        }
    }

    /// What gives the user the right to use the socket; nil if its owner cannot be seen.
    private static func access(to path: String) -> String? {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        guard status.st_mode & S_IWGRP != 0, status.st_gid != 0 else {
            let user = getpwuid(status.st_uid).map { String(cString: $0.pointee.pw_name) }
            return "only \(user ?? "uid \(status.st_uid)") may use it: become that user"
        }
        let group = getgrgid(status.st_gid).map { String(cString: $0.pointee.gr_name) }
        return "join the group \(group ?? "with the gid \(status.st_gid)")"
    }
}
