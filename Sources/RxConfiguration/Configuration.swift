package import Logging
package import RxHost
package import RxProtocol

// Configuration: what DIR/rxd.toml and DIR/conf.d/*.toml say, as values.
//
//     ConfigurationFiles (which files, their bytes) -> TOMLFile (text -> TOMLNode, each with its line)
//       -> ConfigurationReader (sections, merged over the files) -> ActionReader (one [action.NAME])
//       or ReactorReader (one [reactor.NAME]; its programs, ProgramList)
//       (its schema, ValueReader, with SchemaFiles for what that refers to; who may use it, AccessReader)
//       -> ConfiguredAction (values) -> ActionDefinition (for the host)
//
// Rules:
// - Every file is optional, and all of them are one configuration: a key may be set in any file, but only in one.
// - Loading never stops at the first fault: all of them are collected, each with its file, line and key.
// - Nothing here starts, opens or changes anything but the files it reads; `rxd --check` is `load` and no more.

/// All that the configuration files say, with defaults where they are silent.
package struct Configuration: Sendable, Equatable {
    /// In the order of their names.
    package var actions: [ConfiguredAction] = []
    /// In the order of their names.
    package var reactors: [ConfiguredReactor] = []
    package var limits = Limits()
    /// Longest a stopping daemon waits for executions to end before it ends itself.
    package var stopTimeout = Duration.seconds(10)
    /// How long a key given with an input means the same execution.
    package var keyLifetime = Duration.seconds(3600)
    /// What of ended executions is kept.
    package var historyCount = 10_000
    package var historyAge = Duration.seconds(30 * 86_400)
    /// Who may do what with actions that do not say otherwise, and `manage` the daemon.
    package var access = Access()
    /// The least severe records that are logged.
    package var logLevel = Logger.Level.info
    /// What should be changed although it is not a fault, in the order of files and lines.
    package var warnings: [ConfigurationWarning] = []

    /// Reads `directory/rxd.toml` and `directory/conf.d/*.toml`, the latter in the order of their names.
    ///
    /// A directory that is not there is a fault, unless `mayBeMissing`: then it is an empty configuration.
    package static func load(
        directory: String, mayBeMissing: Bool = false, identities: Identities = .system
    ) throws(ConfigurationErrors) -> Configuration {
        let faults = FaultList()
        let paths = ConfigurationFiles.paths(directory: directory, mayBeMissing: mayBeMissing, faults: faults)
        let files = paths.compactMap { ConfigurationFiles.read($0, isOptional: $0 == paths.first, faults: faults) }
        let roots = files.compactMap { TOMLFile.parse($0, faults: faults) }
        var configuration = ConfigurationReader(directory: directory, identities: identities, faults: faults)
            .read(roots)
        if !identities.users.tells(identities.own) {
            faults.add(
                "rxd runs as uid \(identities.own), as which its user namespace shows every user it hides: each of them "
                    + "could do everything; map a user for it",
                file: directory)
        }
        guard faults.isEmpty else { throw ConfigurationErrors(faults: faults.sorted(files: paths)) }
        configuration.warnings = faults.sortedWarnings(files: paths)
        return configuration
    }
}
