internal import RxStreams

/// The streams of a configuration whose elements depend on a position that is stored. They pass their elements to other
/// streams by a `StreamHandoff`.
struct HandingStreams: Sendable {
    private var names: Set<String> = []
    /// The names of the streams that store what they pass on, together with the position. The others store the position
    /// once the readers are done.
    private var storing: Set<String> = []

    /// - Parameter definitions: all streams of the configuration.
    init(_ definitions: [StreamDefinition], _ levels: StreamLevels) {
        // Of a current value, only the newest one counts.
        let definitions = definitions.filter { levels.kind(of: $0.name) == .none }
        var count = -1
        while count < names.count + storing.count {
            count = names.count + storing.count
            for definition in definitions {
                let owes = definition.owesItself || definition.source.leaves.contains(where: stores)
                if owes { storing.insert(definition.name) }
                if owes || definition.keepsOwnPosition || definition.source.leaves.contains(where: handsOff) {
                    names.insert(definition.name)
                }
            }
        }
    }

    /// Whether a source is the elements of one of these streams.
    func handsOff(_ source: SourceDefinition) -> Bool { source.isRead(from: names) }

    /// Whether a source is the elements of one that stores them.
    func stores(_ source: SourceDefinition) -> Bool { source.isRead(from: storing) }
}

extension SourceDefinition {
    fileprivate func isRead(from names: Set<String>) -> Bool {
        if case .stream(let name, .elements) = self { names.contains(name) } else { false }
    }
}

extension StreamDefinition {
    private var descriptions: [SourceDescription] {
        allSources.compactMap { if case .external(let source) = $0 { SourceTable.named(source.kind) } else { nil } }
    }

    /// Whether it stores the position of a source of its own together with the state of its steps.
    var keepsOwnPosition: Bool { isPersistent && descriptions.contains(where: \.hasPosition) }

    /// Whether a source of its own is a schedule or, with `persist`, the host's own log: then each element that comes
    /// out of its steps is owed to each `on`.
    var owesItself: Bool { descriptions.contains { $0.isSchedule || isPersistent && $0.name == "action" } }
}
