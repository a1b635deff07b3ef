internal import RxJSON

/// Texts of definitions: equal texts mean equal definitions, in every process and version that has the same rows.
extension ArgumentValue {
    fileprivate var fingerprint: String {
        switch self {
        case .boolean(let value): "\(value)"
        case .count(let value): "\(value)"
        case .duration(let value): "\(value)us"
        case .text(let value): value.debugDescription
        case .texts(let values): values.map(\.debugDescription).joined(separator: ",").bracketed
        case .table(let values):
            values.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value.debugDescription)" }
                .joined(separator: ",").bracketed
        case .json(let value): "json" + value.text.debugDescription
        case .program(let program): "jq" + program.text.debugDescription
        case .source(let source): source.fingerprint
        case .sources(let sources): sources.map(\.fingerprint).joined(separator: ",").bracketed
        case .named(let sources): sources.fingerprint
        case .steps(let steps): steps.fingerprint
        case .each(let program, let steps): "each" + program.text.debugDescription + steps.fingerprint
        }
    }
}

extension [String: ArgumentValue] {
    fileprivate var fingerprint: String {
        sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value.fingerprint)" }.joined(separator: " ").bracketed
    }
}

extension [NamedSource] {
    fileprivate var fingerprint: String {
        map { "\($0.name.debugDescription)=\($0.source.fingerprint)" }.joined(separator: ",").bracketed
    }
}

extension SourceDefinition {
    /// A stream whose source has another fingerprint starts over.
    public var fingerprint: String {
        switch self {
        case .external(let source): source.kind + source.arguments.fingerprint
        case .stream(let name, let channel): "stream \(name.debugDescription) \(channel.rawValue)"
        case .merge(let sources): "merge" + sources.map(\.fingerprint).joined(separator: ",").bracketed
        case .combineLatest(let sources): "combineLatest" + sources.fingerprint
        case .zip(let sources): "zip" + sources.fingerprint
        }
    }
}

extension [StepDefinition] {
    /// Steps with another fingerprint begin without the values of the earlier ones.
    public var fingerprint: String {
        map { $0.name + $0.arguments.fingerprint }.joined(separator: ",").bracketed
    }
}

extension String {
    fileprivate var bracketed: String { "[" + self + "]" }
}
