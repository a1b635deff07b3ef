package import RxHost
package import RxStreamTest

/// One `[test.NAME]` of a file in the directory `tests`.
package struct ConfiguredTest: Sendable, Equatable {
    package var definition: StreamTestDefinition
    /// Where the table begins.
    package var line: SourceLine
    /// The lines of its keys, such as `given.source`.
    package var lines: [String: SourceLine] = [:]

    package var name: String { definition.name }
}
