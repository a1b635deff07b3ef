/// The actions and reactors of one configuration by name. Never changes; a reload makes another.
public struct Registry: Sendable {
    private let byName: [String: HostedAction]
    private let reactorsByName: [String: HostedReactor]
    /// All actions, sorted by name.
    public let actions: [HostedAction]
    /// All reactors, sorted by name.
    public let reactors: [HostedReactor]

    init(_ actions: [HostedAction], _ reactors: [HostedReactor]) {
        self.reactors = reactors.sorted { $0.name < $1.name }
        reactorsByName = Dictionary(uniqueKeysWithValues: reactors.map { ($0.name, $0) })
        self.actions = actions.sorted { $0.name < $1.name }
        byName = Dictionary(uniqueKeysWithValues: actions.map { ($0.name, $0) })
    }

    /// The action of a name.
    public subscript(name: String) -> HostedAction? { byName[name] }

    /// The reactor of a name.
    public func reactor(_ name: String) -> HostedReactor? { reactorsByName[name] }
}

/// What a reload did, or would do: the names of actions and reactors, sorted.
public struct RegistryChange: Sendable, Hashable {
    /// Names that were not configured before.
    public var added: [String] = []
    /// Names with another definition than before.
    public var changed: [String] = []
    /// Names that are no longer configured.
    public var removed: [String] = []
    /// Names with the same definition as before.
    public var unchanged: [String] = []
    /// What becomes of the streams; nil for a host without streams.
    public var streams: StreamsChange?
    /// What could not come into force, and why. Each name is in one of the lists above all the same.
    public var faults: [ReloadFault] = []
}

/// A reactor that does not run as it is defined: a new one does not run at all, a changed one as it did before.
public struct ReloadFault: Sendable, Hashable {
    /// The reactor's name.
    public let reactor: String
    /// Why.
    public let fault: ReactorFault
}

/// What a reload did, or would do, with streams: names, sorted, each in one list.
public struct StreamsChange: Sendable, Hashable {
    /// Streams that start.
    public var started: [String] = []
    /// Streams that stop.
    public var stopped: [String] = []
    /// Streams that start over: with another source, their positions mean nothing.
    public var startedOver: [String] = []
    /// Streams that go on where they are, without the state of their operators.
    public var reset: [String] = []
    /// Streams that are rebuilt and keep everything.
    public var restarted: [String] = []
    /// Streams that are left alone.
    public var unchanged: [String] = []

    /// No streams.
    public init() {}
}
