internal import RxConfiguration

/// Where the daemon finds its configuration, and where its socket and its state are.
struct Places {
    /// The directory unless an option names another; only this one may be missing.
    static let defaultConfiguration = "/etc/rxd"

    let configuration: String
    let socket: String
    let state: String
    /// Where files that must not reach a disk may be, from the best place.
    var runtimeDirectories: [String?] = []

    /// Reads the configuration.
    func load() throws(ConfigurationErrors) -> Configuration {
        try Configuration.load(
            directory: configuration, mayBeMissing: configuration == Self.defaultConfiguration)
    }
}
