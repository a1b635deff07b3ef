public import RxJSON

/// The value of an argument of a source or an operator.
public indirect enum ArgumentValue: Sendable, Hashable {
    /// `true` or `false`.
    case boolean(Bool)
    /// A number of elements, attempts, or entries.
    case count(Int)
    /// Microseconds.
    case duration(Int64)
    /// A text: a path, a name, an expression.
    case text(String)
    /// Texts: globs, words of a command line, names.
    case texts([String])
    /// Texts by their keys: the fields of a match.
    case table([String: String])
    /// A value.
    case json(RawJSON)
    /// A jq program.
    case program(StreamProgram)
    /// A source, in its own table or by the name of a stream.
    case source(SourceDefinition)
    /// Sources in order.
    case sources([SourceDefinition])
    /// Sources with names.
    case named([NamedSource])
    /// Steps of an inner chain.
    case steps([StepDefinition])
    /// For each element, an inner stream of a program's results.
    case each(StreamProgram, through: [StepDefinition])
}

/// A source with the name that its values have in the element of `combineLatest` or `zip`.
public struct NamedSource: Sendable, Hashable {
    /// The member of the element.
    public var name: String
    /// The source.
    public var source: SourceDefinition

    /// Creates a named source.
    public init(name: String, source: SourceDefinition) {
        self.name = name
        self.source = source
    }
}
