/// How a set of definitions differs from a registry.
struct RegistryDifference: Sendable {
    private(set) var change = RegistryChange()
    private(set) var unchangedActions: [HostedAction] = []
    private(set) var changedActions: [(action: HostedAction, to: ActionDefinition)] = []
    private(set) var addedActions: [ActionDefinition] = []
    private(set) var removedActions: [HostedAction] = []
    private(set) var unchangedReactors: [HostedReactor] = []
    /// The lines that the programs of unchanged reactors are written in now, in the same order.
    private(set) var lines: [[String: SourceLine]] = []
    private(set) var changedReactors: [(reactor: HostedReactor, to: ReactorDefinition)] = []
    private(set) var addedReactors: [ReactorDefinition] = []
    private(set) var removedReactors: [HostedReactor] = []

    init(_ registry: Registry, _ actions: [ActionDefinition], _ reactors: [ReactorDefinition]) {
        for definition in actions.sorted(by: { $0.name < $1.name }) { compare(definition, registry) }
        for definition in reactors { compare(definition, registry) }
        let actionNames = Set(actions.map(\.name))
        removedActions = registry.actions.filter { !actionNames.contains($0.name) }
        let reactorNames = Set(reactors.map(\.name))
        removedReactors = registry.reactors.filter { !reactorNames.contains($0.name) }
        change.removed = removedActions.map(\.name) + removedReactors.map(\.name)
        change.added.sort()
        change.changed.sort()
        change.removed.sort()
        change.unchanged.sort()
    }

    private mutating func compare(_ definition: ActionDefinition, _ registry: Registry) {
        guard let action = registry[definition.name] else {
            change.added.append(definition.name)
            return addedActions.append(definition)
        }
        if action.definition.fingerprint == definition.fingerprint, action.access == definition.access {
            change.unchanged.append(definition.name)
            unchangedActions.append(action)
        } else {
            change.changed.append(definition.name)
            changedActions.append((action, definition))
        }
    }

    private mutating func compare(_ definition: ReactorDefinition, _ registry: Registry) {
        guard let reactor = registry.reactor(definition.name) else {
            change.added.append(definition.name)
            return addedReactors.append(definition)
        }
        // The same definition again may succeed where it failed: the obstacle may be gone.
        if reactor.definition.isSame(as: definition), reactor.failure == nil {
            change.unchanged.append(definition.name)
            unchangedReactors.append(reactor)
            lines.append(definition.lines)
        } else {
            change.changed.append(definition.name)
            changedReactors.append((reactor, definition))
        }
    }
}

extension ReactorDefinition {
    fileprivate func isSame(as other: ReactorDefinition) -> Bool {
        fingerprint == other.fingerprint && settings == other.settings && access == other.access
            && persistence == other.persistence && stateBytes == other.stateBytes && summary == other.summary
    }
}
