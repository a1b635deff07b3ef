internal import RxStreams

/// The streams of a configuration whose elements depend on a position that is stored. What they pass to other streams
/// is stored, too; see `StreamHandoff`.
struct HandingStreams: Sendable {
    private let names: Set<String>

    /// - Parameter definitions: all streams of the configuration.
    init(_ definitions: [StreamDefinition], _ levels: StreamLevels) {
        var names: Set<String> = []
        var grows = true
        while grows {
            grows = false
            for definition in definitions where !names.contains(definition.name) {
                // Of a current value, only the newest one counts.
                guard levels.kind(of: definition.name) == .none,
                    definition.keepsOwnPosition || definition.source.leaves.contains(where: { $0.isRead(from: names) })
                else { continue }
                names.insert(definition.name)
                grows = true
            }
        }
        self.names = names
    }

    /// Whether a source is the elements of one of these streams.
    func handsOff(_ source: SourceDefinition) -> Bool { source.isRead(from: names) }
}

extension SourceDefinition {
    fileprivate func isRead(from names: Set<String>) -> Bool {
        if case .stream(let name, .elements) = self { names.contains(name) } else { false }
    }
}

extension StreamDefinition {
    /// Whether it stores the position of a source of its own: that of a schedule, or with `persist`.
    var keepsOwnPosition: Bool {
        allSources.contains { source in
            guard case .external(let source) = source, let description = SourceTable.named(source.kind) else {
                return false
            }
            return description.isSchedule || isPersistent && description.hasPosition
        }
    }
}
