internal import Glibc
internal import RxProtocol

/// The path of the daemon's socket.
enum SocketPath {
    /// `--socket`, else the path that every client uses by default.
    static func resolve(
        option: String?, environment: (String) -> String?, exists: (String) -> Bool
    ) -> String {
        option ?? DefaultSocketPath.forClient(environment: environment, exists: exists)
    }

    /// Whether the path is that of the user's own daemon.
    static func isOfUser(_ path: String) -> Bool {
        path == DefaultSocketPath.ofUser(environment: { getenv($0).map { String(cString: $0) } })
    }

    /// `--socket`, else the default path, according to this process's environment and files.
    static func resolve(option: String?) -> String {
        resolve(
            option: option,
            environment: { getenv($0).map { String(cString: $0) } },
            exists: { access($0, F_OK) == 0 })
    }
}
