extension SourceDefinition {
    /// Whether the elements are a current value. `isLevel` answers for the streams that it reads; only their elements
    /// can be one, not their errors or firings.
    public func isLevel(_ isLevel: (_ stream: String) -> Bool) -> Bool {
        switch self {
        case .external(let source): SourceTable.named(source.kind)?.isLevel ?? false
        case .stream(let name, let channel): channel == .elements && isLevel(name)
        case .combineLatest(let sources): sources.allSatisfy { $0.source.isLevel(isLevel) }
        case .merge, .zip: false
        }
    }
}
