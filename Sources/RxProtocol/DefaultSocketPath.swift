/// The socket that a daemon listens on, and a client connects to, unless an option names another one.
///
/// Each function takes the environment as a closure from a variable's name to its value; an empty value counts as
/// unset.
public enum DefaultSocketPath {
    /// The socket of the system's daemon.
    public static let system = "/run/rxd/rxd.sock"
    /// The variable that names the socket for clients.
    public static let variable = "RXD_SOCKET"

    /// The socket of the user's own daemon: `$XDG_RUNTIME_DIR/rxd/rxd.sock`; nil if the variable is unset, or no
    /// absolute path.
    public static func ofUser(environment: (String) -> String?) -> String? {
        guard let directory = environment("XDG_RUNTIME_DIR"), directory.hasPrefix("/") else { return nil }
        return directory + "/rxd/rxd.sock"
    }

    /// The socket that a daemon listens on: `ofUser`, else `system`.
    public static func forDaemon(environment: (String) -> String?) -> String {
        ofUser(environment: environment) ?? system
    }

    /// The socket that a client connects to: `$RXD_SOCKET`, else `ofUser` if `exists` returns true for it,
    /// else `system`.
    ///
    /// XDG_RUNTIME_DIR is set in every login session, so a user's own daemon is preferred only if its socket exists.
    public static func forClient(environment: (String) -> String?, exists: (String) -> Bool) -> String {
        if let path = environment(variable), !path.isEmpty { return path }
        if let path = ofUser(environment: environment), exists(path) { return path }
        return system
    }
}
