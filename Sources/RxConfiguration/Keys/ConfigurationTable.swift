/// One table of a configuration and its keys, as rxd.toml(5) documents them.
package struct ConfigurationTable: Sendable, Hashable {
    /// The table's place, such as `[action.NAME]`, or a word for a table within others, such as `retry`.
    package let name: String
    /// What the table is, in one or two sentences.
    package let summary: String
    /// The keys, in the order of the documentation.
    package let keys: [ConfigurationKey]

    init(_ name: String, _ summary: String, _ keys: [ConfigurationKey]) {
        self.name = name
        self.summary = summary
        self.keys = keys
    }
}

/// One key of a table.
package struct ConfigurationKey: Sendable, Hashable {
    /// The key.
    package let name: String
    /// What the value may be, with its article: `a duration such as "10s"`.
    package let value: String
    /// Whether the table is refused without the key.
    package let isRequired: Bool
    /// The default as TOML writes it; nil if there is none.
    package let standard: String?
    /// What the key does, in sentences.
    package let summary: String

    /// A key with a default, or one whose absence the summary explains.
    static func key(
        _ name: String, _ value: String, default standard: String? = nil, _ summary: String
    ) -> ConfigurationKey {
        ConfigurationKey(name: name, value: value, isRequired: false, standard: standard, summary: summary)
    }

    /// A key without which the table is refused.
    static func required(_ name: String, _ value: String, _ summary: String) -> ConfigurationKey {
        ConfigurationKey(name: name, value: value, isRequired: true, standard: nil, summary: summary)
    }
}

/// What values may be, for several keys.
enum ValueText {
    static let boolean = "true or false"
    static let duration = "a duration such as \"10s\""
    static let size = "a size such as \"64MiB\", or an integer of bytes"
    static let program = "a jq program in a string"
    static let text = "a string"
    static let schema = "a JSON Schema (draft 7) as a table, or the name of a file with one"
    static let condition = "true, or a condition: see `enabled` below"
    static let grant = "\"all\", or a table with `users` and `groups`"

    static func integer(_ range: ClosedRange<Int>) -> String {
        "an integer from \(range.lowerBound) to \(range.upperBound)"
    }

    static func words(_ words: [String]) -> String {
        "one of \(words.map { "\"\($0)\"" }.joined(separator: ", "))"
    }
}
