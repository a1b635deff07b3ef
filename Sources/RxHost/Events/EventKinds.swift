internal import RxStore

/// The kinds of events that readers choose among.
public struct EventKinds: OptionSet, Sendable, Hashable {
    /// One bit for each kind.
    public let rawValue: UInt8

    /// The kinds whose bits are set.
    public init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// Elements of executions.
    public static let elements = EventKinds(rawValue: 1)
    /// Errors of executions, refusals, and faults of reactors.
    public static let errors = EventKinds(rawValue: 2)
    /// Records of executions, at each change of their state.
    public static let executions = EventKinds(rawValue: 4)
    /// The level `executing`.
    public static let executing = EventKinds(rawValue: 8)
    /// The level `enabled`.
    public static let enabled = EventKinds(rawValue: 16)
    /// The state of a reactor.
    public static let state = EventKinds(rawValue: 32)
    /// The firings of a stream.
    public static let firings = EventKinds(rawValue: 64)
    /// Elements that were dropped within a stream.
    public static let drops = EventKinds(rawValue: 128)
    /// The levels, of which only the newest value counts. Rings keep and count events of the other kinds.
    public static let levels: EventKinds = [.executing, .enabled, .state]
    /// All kinds.
    public static let all: EventKinds = [
        .elements, .errors, .executions, .executing, .enabled, .state, .firings, .drops,
    ]
    /// The kinds that rings keep and count, one by one.
    static let kept: [EventKinds] = [.elements, .errors, .executions, .firings, .drops]
}

extension EventKinds {
    /// What the store calls these kinds of a stream's events.
    var ofStreams: [LoggedEvent.StreamKind] {
        LoggedEvent.StreamKind.allCases.filter { kind in
            switch kind {
            case .element: contains(.elements)
            case .error: contains(.errors)
            case .firing: contains(.firings)
            case .lag: contains(.drops)
            }
        }
    }
}
