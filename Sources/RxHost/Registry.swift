/// The actions of one configuration by name. Never changes; a reload makes another.
public struct Registry: Sendable {
    private let byName: [String: HostedAction]
    /// All actions, sorted by name.
    public let actions: [HostedAction]

    init(_ actions: [HostedAction]) {
        self.actions = actions.sorted { $0.name < $1.name }
        byName = Dictionary(uniqueKeysWithValues: actions.map { ($0.name, $0) })
    }

    public subscript(name: String) -> HostedAction? { byName[name] }
}

/// What a reload did, or would do: names, sorted.
public struct RegistryChange: Sendable, Hashable {
    public var added: [String] = []
    public var changed: [String] = []
    public var removed: [String] = []
    public var unchanged: [String] = []
}
