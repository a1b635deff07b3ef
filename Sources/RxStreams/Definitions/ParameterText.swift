extension Parameter.Kind: CustomStringConvertible {
    /// What a value is, with its article, for messages and the documentation: `a duration such as "10s"`.
    public var description: String {
        switch self {
        case .flag: "true"
        case .boolean: "true or false"
        case .count(let range) where range.upperBound == .max: "an integer of at least \(range.lowerBound)"
        case .count(let range): "an integer from \(range.lowerBound) to \(range.upperBound)"
        case .duration: "a duration such as \"10s\""
        case .text: "a string"
        case .texts: "a string or an array of strings"
        case .choice(let words): "one of \(Self.quoted(words))"
        case .choices(let words): "one or an array of \(Self.quoted(words))"
        case .json: "a value"
        case .program: "a jq program in a string"
        case .source: "the name of a stream or a table with a source"
        case .sources: "an array of sources"
        case .named: "a table of sources, each under a name"
        case .steps: "an array of steps such as [{ take = 1 }]"
        case .action: "the name of an action"
        case .actions: "the name of an action, an array of names, or \"*\""
        case .reactor: "the name of a reactor"
        case .stream: "the name of a stream"
        case .each: "a table such as { each = \".[]\" }"
        case .time(.every): "a duration such as \"15m\""
        case .time(.calendar): "a calendar expression such as \"Mon..Fri 08:00\""
        case .time(.cron): "a cron expression such as \"0 3 * * *\""
        case .time(.at): "a date and time such as 2026-12-24T18:00:00"
        case .zone: "a time zone such as \"Europe/Berlin\""
        case .table(let keys) where keys.isEmpty: "a table of strings"
        case .table(let keys): "a table of strings with the keys \(keys.joined(separator: ", "))"
        case .path: "an absolute path in a string"
        case .words: "an array such as [\"df\", \"-h\"]"
        case .pointer: "a JSON pointer such as \"/on\""
        }
    }

    private static func quoted(_ words: [String]) -> String {
        words.map { "\"\($0)\"" }.joined(separator: ", ")
    }
}

extension Parameter {
    /// What a value is, of all kinds: `true or a duration such as "10s"`.
    public var wanted: String { kinds.map(\.description).joined(separator: " or ") }
}
