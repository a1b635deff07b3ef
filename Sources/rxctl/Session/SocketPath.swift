internal import Glibc

/// Which socket is the daemon's.
enum SocketPath {
    /// Where the system's daemon listens.
    static let system = "/run/rxd/rxd.sock"

    /// `--socket`, `$RXD_SOCKET`, `$XDG_RUNTIME_DIR/rxd.sock` if something is there, `system`.
    ///
    /// An empty variable counts as unset. A user's own daemon is preferred only where its socket exists, because
    /// XDG_RUNTIME_DIR is set in every login session; the others are taken at their word.
    static func resolve(
        option: String?, environment: (String) -> String?, exists: (String) -> Bool
    ) -> String {
        func variable(_ name: String) -> String? {
            environment(name).flatMap { $0.isEmpty ? nil : $0 }
        }
        if let path = option ?? variable("RXD_SOCKET") { return path }
        if let directory = variable("XDG_RUNTIME_DIR") {
            let path = directory + "/rxd.sock"
            if exists(path) { return path }
        }
        return system
    }

    static func resolve(option: String?) -> String {
        resolve(
            option: option,
            environment: { getenv($0).map { String(cString: $0) } },
            exists: { access($0, F_OK) == 0 })
    }
}
