/// Equal is what is the same object, which is what is hashed.
public protocol IdentityHashable: IdentityEquatable, Hashable {}

extension IdentityHashable {
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
