internal import RxConfiguration
internal import RxSources

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
    ///
    /// - Parameter reader: who will read the files of its sources, if that is to be checked: see `SourceCheck`.
    func load(for reader: FileReader? = nil) throws(ConfigurationErrors) -> Configuration {
        let check = SourceCheck(reader: reader)
        return try Configuration.load(
            directory: configuration, mayBeMissing: configuration == Self.defaultConfiguration,
            surroundings: .system { check.problems(of: $0) })
    }

    /// Reads the tests of the configuration, which a start or a reload does not.
    func tests(of loaded: Configuration) throws(ConfigurationErrors) -> [ConfiguredTest] {
        try loaded.tests(directory: configuration)
    }
}
