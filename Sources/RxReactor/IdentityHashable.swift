/// Compares and hashes objects by identity.
#if Migration
    @preconcurrency
#endif
public protocol IdentityHashable: IdentityEquatable, Hashable {}

extension IdentityHashable {
    /// Hashes the object's identity.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
