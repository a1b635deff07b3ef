internal import Glibc
internal import RxPlatform
internal import RxProtocol

/// The remark that nothing starts a daemon with streams at boot: its socket alone starts it only for a client.
enum BootNote {
    /// - Parameters:
    ///   - socket: the daemon's; one that no unit has is that of a daemon started by hand.
    ///   - enablement: what systemd has of rxd.service.
    static func text(
        socket: String, environment: (String) -> String?,
        enablement: (ServiceEnablement.Manager) -> ServiceEnablement
    ) -> String? {
        guard let manager = manager(of: socket, environment) else { return nil }
        switch enablement(manager) {
        case .enabled, .notInstalled: return nil
        case .disabled:
            return "streams are configured, but rxd.service is not enabled: at boot, nothing runs until a client "
                + "connects; run `\(manager.command(enabling: "rxd.service"))`"
        }
    }

    /// The note, according to this process's environment and files.
    ///
    /// - Parameter socket: the daemon's; one that no unit has is that of a daemon started by hand.
    static func text(socket: String) -> String? {
        text(
            socket: socket, environment: { getenv($0).map { String(cString: $0) } },
            enablement: { ServiceEnablement(of: "rxd.service", in: $0) })
    }

    private static func manager(
        of socket: String, _ environment: (String) -> String?
    ) -> ServiceEnablement.Manager? {
        if socket == DefaultSocketPath.system { return .system }
        guard let home = environment("HOME"), socket == DefaultSocketPath.ofUser(environment: environment)
        else { return nil }
        return .user(home: home)
    }
}
