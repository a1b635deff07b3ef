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
