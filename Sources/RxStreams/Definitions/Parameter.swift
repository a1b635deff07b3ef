/// A parameter of a source or an operator: one row of the table that the configuration reader, the checker,
/// `rxctl describe --operators`, and docs/streams.md are made from.
public struct Parameter: Sendable, Hashable {
    /// The key, in kebab-case.
    public let name: String
    /// What the value may be; several kinds are tried in order.
    public let kinds: [Kind]
    /// Whether the parameter must be given. The main parameter of an operator is always.
    public let isRequired: Bool
    /// The default, as text for people; nil for none.
    public let standard: String?
    /// What it does, in a sentence fragment.
    public let summary: String

    /// What a value may be.
    public enum Kind: Sendable, Hashable {
        /// `true`, for an operator without a main argument.
        case flag
        /// `true` or `false`.
        case boolean
        /// An integer.
        case count(ClosedRange<Int>)
        /// A duration of at least this many microseconds.
        case duration(atLeast: Int64)
        /// A text.
        case text
        /// A text, or an array of texts.
        case texts
        /// One of these texts.
        case choice([String])
        /// Some of these texts.
        case choices([String])
        /// A value of any type.
        case json
        /// A jq program.
        case program(StreamProgram.Use)
        /// A source: the name of a stream, or a table.
        case source
        /// An array of sources.
        case sources
        /// A table of sources.
        case named
        /// An array of steps.
        case steps
        /// The name of an action.
        case action
        /// The name of an action, an array of names, or "*" for all.
        case actions
        /// The name of a reactor.
        case reactor
        /// The name of a stream.
        case stream
        /// A table with `each` and, optionally, `through`.
        case each
        /// An expression of time of this kind.
        case time(TimeExpression)
        /// A time zone by its IANA name.
        case zone
        /// A table of texts with these keys, or with any if there are none.
        case table([String])
        /// An absolute path.
        case path
        /// A program and its arguments.
        case words
        /// A JSON pointer.
        case pointer
    }

    /// The expressions of time.
    public enum TimeExpression: Sendable, Hashable { case every, calendar, cron, at }

    init(
        _ name: String, _ kind: Kind, required: Bool = false, standard: String? = nil, _ summary: String
    ) {
        self.init(name, kinds: [kind], required: required, standard: standard, summary: summary)
    }

    init(_ name: String, kinds: [Kind], required: Bool, standard: String?, summary: String) {
        self.name = name
        self.kinds = kinds
        self.isRequired = required
        self.standard = standard
        self.summary = summary
    }
}
