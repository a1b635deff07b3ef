/// Where elements come from: a source, or several that are combined.
public indirect enum SourceDefinition: Sendable, Hashable {
    /// A source of the outside world or of the host.
    case external(ExternalSource)
    /// Another stream.
    case stream(String, channel: StreamChannel)
    /// All elements of all sources.
    case merge([SourceDefinition])
    /// The newest values of all sources, at each change.
    case combineLatest([NamedSource])
    /// The first values of all sources, then the second ones, and so on.
    case zip([NamedSource])

    /// The parts that emit by themselves, in order.
    public var leaves: [SourceDefinition] {
        switch self {
        case .external, .stream: [self]
        case .merge(let sources): sources.flatMap(\.leaves)
        case .combineLatest(let sources), .zip(let sources): sources.flatMap(\.source.leaves)
        }
    }
}

/// What of a stream another one reads, or a client.
public enum StreamChannel: String, Sendable, Hashable, CaseIterable {
    case elements, errors, firings
}

/// A source that is opened: a row of `SourceTable` with its arguments.
public struct ExternalSource: Sendable, Hashable {
    /// The key that names the kind, such as `path`.
    public var kind: String
    /// The arguments by name; the main argument has the name of the kind.
    public var arguments: [String: ArgumentValue]

    /// Creates a source.
    public init(_ kind: String, _ arguments: [String: ArgumentValue] = [:]) {
        self.kind = kind
        self.arguments = arguments
    }

    /// The value of a text argument.
    public func text(_ name: String) -> String? {
        if case .text(let text)? = arguments[name] { text } else { nil }
    }

    /// The values of an argument of one or several texts.
    public func texts(_ name: String) -> [String]? {
        switch arguments[name] {
        case .text(let text)?: [text]
        case .texts(let texts)?: texts
        default: nil
        }
    }

    /// The value of a table of texts.
    public func table(_ name: String) -> [String: String]? {
        if case .table(let table)? = arguments[name] { table } else { nil }
    }

    /// The value of a switch.
    public func boolean(_ name: String) -> Bool? {
        if case .boolean(let value)? = arguments[name] { value } else { nil }
    }

    /// The value of a duration, in microseconds.
    public func duration(_ name: String) -> Int64? {
        if case .duration(let value)? = arguments[name] { value } else { nil }
    }

    /// The value of a number.
    public func count(_ name: String) -> Int? {
        if case .count(let value)? = arguments[name] { value } else { nil }
    }
}
