package import Logging
package import RxHost
package import RxProtocol
package import RxStreams

// Configuration: the values in DIR/rxd.toml and DIR/conf.d/*.toml.
//
//     Configuration.load -> ConfigurationFiles (which files, their bytes) -> TOMLFile (text -> TOMLNode with lines)
//       -> ConfigurationReader (sections, merged over the files) -> ActionReader (one [action.NAME])
//       or ReactorReader (one [reactor.NAME]; ProgramList compiles its programs); both use ValueReader for schemas
//       (SchemaFiles for the files that these refer to) and AccessReader for rights
//       -> ConfiguredAction, ConfiguredReactor (values) -> the definitions that the host takes
//       -> StreamSections (all [stream.NAME] and `on`; StreamReader reads one, with the rows of RxStreams' tables)
//       -> ConfiguredStream, BindingDefinition
//     Configuration.tests (DIR/tests/*.toml) -> TestReader (one [test.NAME]) -> ConfiguredTest
//       -> ConfiguredTestSuite (the configuration as RxStreamTest takes it)
//       -> TestReport (one result as a fault, text, and JSON), TestCheck (all of them, for `rxd --check`)
//     KeyTable: the documentation of all tables and keys, for rxd.toml(5)
//
// Rules:
// - Every file is optional, and all files form one configuration: a key may be set in any file, but only in one.
// - Loading does not stop at the first fault. It collects all faults, each with its file, line, and key.
// - A key that a release retired is a warning for one release (RetiredKeys).
// - Loading reads files and does nothing else; `rxd --check` calls `load` and prints the result.

/// The values of all configuration files, with defaults for missing keys.
package struct Configuration: Sendable, Equatable {
    /// In the order of their names.
    package var actions: [ConfiguredAction] = []
    /// In the order of their names.
    package var reactors: [ConfiguredReactor] = []
    /// In the order of their names; those of `[stream.NAME]`, and those inline in an `on`.
    package var streams: [ConfiguredStream] = []
    /// What each `on` binds: those of actions first, in the order of their names and of the file.
    package var bindings: [BindingDefinition] = []
    package var limits = Limits()
    /// Longest time that a stopping daemon waits for executions to end.
    package var stopTimeout = Duration.seconds(10)
    /// How long an idempotency key is remembered.
    package var keyLifetime = Duration.seconds(3600)
    /// How many ended executions the history keeps, and for how long.
    package var historyCount = 10_000
    package var historyAge = Duration.seconds(30 * 86_400)
    /// The bytes of elements, and of standard error, that are kept of an execution with a history; 0 for none.
    package var historyOutput = 64 << 10
    /// The bytes that ended executions with their output, and events, may have together.
    package var historyBytes = 512 << 20
    /// The bytes that the histories of all reactors may have together.
    package var stateBytes = 512 << 20
    /// The rights on actions and reactors without an `allow`, and who may `manage` the daemon.
    package var access = Access()
    /// Whom to ask for a right: `contact` in `[access]`.
    package var contact: String?
    /// The least severe level that is logged.
    package var logLevel = Logger.Level.info
    /// The texts of all jq programs, as they were compiled.
    package var validPrograms: Set<String> = []
    /// What works but should be looked at, in the order of files and lines.
    package var warnings: [ConfigurationWarning] = []
}
