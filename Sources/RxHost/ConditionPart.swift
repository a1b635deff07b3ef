internal import Rx

/// An action, reactor, or stream that a condition reads, for pictures.
public struct ConditionPart: Sendable, Hashable {
    /// What the name belongs to.
    public var kind: HostedKind
    /// The name.
    public var name: String
    /// The program.
    public var when: String

    /// A part with these values.
    public init(_ kind: HostedKind, _ name: String, when: String) {
        (self.kind, self.name, self.when) = (kind, name, when)
    }
}

extension Host {
    /// What the conditions of actions read, by the names of the actions. The owner of the conditions sets it.
    public var conditionParts: [String: [ConditionPart]] {
        get { services.conditionParts.withLock { $0 } }
        set { services.conditionParts.withLock { $0 = newValue } }
    }
}
