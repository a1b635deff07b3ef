internal import RxJSON
internal import RxSources
internal import RxStreams

/// Whether elements are a current value, and whether there is one for each of several things.
enum LevelKind: Sendable {
    /// Each element counts.
    case none
    /// Only the newest element counts.
    case one
    /// The newest element of each unit counts: those that match a glob.
    case byUnit
}

/// Which streams of a configuration, and which sources, are levels.
struct StreamLevels: Sendable {
    private let kinds: [String: LevelKind]

    /// - Parameter definitions: all streams of the configuration.
    init(_ definitions: [StreamDefinition]) {
        let byName = Dictionary(definitions.map { ($0.name, $0) }) { first, _ in first }
        var known: [String: LevelKind] = [:]
        func kind(_ name: String) -> LevelKind {
            if let kind = known[name] { return kind }
            // A stream that reads itself is not a level; the configuration reader refuses it.
            known[name] = LevelKind.none
            guard let definition = byName[name], definition.isLevel({ kind($0) != .none }) else { return .none }
            let result = definition.source.kind(kind)
            known[name] = result
            return result
        }
        for definition in definitions { _ = kind(definition.name) }
        kinds = known
    }

    func kind(of stream: String) -> LevelKind { kinds[stream] ?? .none }

    func kind(of source: SourceDefinition) -> LevelKind {
        source.isLevel { kind(of: $0) != .none } ? source.kind { kind(of: $0) } : .none
    }
}

extension SourceDefinition {
    /// The kind of a source that is a level.
    fileprivate func kind(_ kind: (String) -> LevelKind) -> LevelKind {
        switch self {
        case .external(let source): source.unitPattern?.isGlob ?? false ? .byUnit : .one
        case .stream(let name, _): kind(name)
        case .combineLatest, .merge, .zip: .one
        }
    }
}

extension ExternalSource {
    /// The units that the source observes; nil for another source.
    var unitPattern: UnitPattern? {
        kind == "unit" ? try? UnitPattern(text("unit") ?? "") : nil
    }
}

extension StreamElement {
    /// Which of several current values the element is: the unit, for a level that has one for each. The elements of
    /// such a stream have it as their position, which levels have no other use for.
    func levelKey(_ kind: LevelKind) -> String {
        switch kind {
        case .none, .one: ""
        case .byUnit: origin?.position?.text ?? ""
        }
    }
}
