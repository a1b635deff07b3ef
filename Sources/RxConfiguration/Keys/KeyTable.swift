/// All tables of a configuration and their keys, for rxd.toml(5) and `rxd --describe`. The sources and operators of
/// streams are in `SourceTable` and `OperatorTable` of RxStreams.
///
/// The readers decide what is valid; a test compares the keys that they know with these rows, and the defaults with
/// config/rxd.toml, which another test compares with the values in use. A new key of a reader is a row here.
package enum KeyTable {
    /// In the order of the documentation.
    package static let all: [ConfigurationTable] =
        [daemon, limits, history, access, grant, defaults]
        + [action, argument, retry, allow]
        + [reactor, rule, merge]
        + [stream, binding, each, condition]
        + [test, outcome]
}
