internal import Glibc

/// Whether systemd starts a service without anyone asking for it, as its files have it: no bus is needed.
public enum ServiceEnablement: Sendable, Hashable {
    /// No directory has the unit; it may be started by other means.
    case notInstalled
    /// A unit of the machine, or of the user, wants or requires the service: `systemctl enable`.
    case enabled
    /// The unit is installed, and nothing wants it.
    case disabled

    /// The managers, with the directories in which they find units.
    public enum Manager: Sendable, Hashable {
        /// The machine's.
        case system
        /// The manager of a user with this home.
        case user(home: String)

        var directories: [String] {
            switch self {
            case .system:
                return ["/etc", "/run", "/usr/local/lib", "/usr/lib", "/lib"].map { $0 + "/systemd/system" }
            case .user(let home):
                let own = ["/.config/systemd/user", "/.local/share/systemd/user"].map { home + $0 }
                return own + ["/etc", "/run", "/usr/local/lib", "/usr/lib"].map { $0 + "/systemd/user" }
            }
        }

        /// The command that enables a service.
        public func command(enabling service: String) -> String {
            switch self {
            case .system: "systemctl enable \(service)"
            case .user: "systemctl --user enable \(service)"
            }
        }
    }

    /// Looks for a service and its links.
    public init(of service: String, in manager: Manager) {
        self.init(of: service, directories: manager.directories)
    }

    init(of service: String, directories: [String]) {
        var isInstalled = false
        for directory in directories {
            isInstalled = isInstalled || Self.exists("\(directory)/\(service)")
            for name in Self.names(in: directory) where name.hasSuffix(".wants") || name.hasSuffix(".requires") {
                guard Self.exists("\(directory)/\(name)/\(service)") else { continue }
                self = .enabled
                return
            }
        }
        self = isInstalled ? .disabled : .notInstalled
    }

    /// Whether there is such a file, or a link of that name, whatever it leads to.
    private static func exists(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0
    }

    private static func names(in directory: String) -> [String] {
        guard let stream = opendir(directory) else { return [] }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            // An entry is as long as its name, so `d_name` must not be copied as a whole.
            let name = UnsafeRawPointer(entry) + MemoryLayout<dirent>.offset(of: \dirent.d_name)!
            names.append(String(cString: name.assumingMemoryBound(to: CChar.self)))
        }
        return names
    }
}
