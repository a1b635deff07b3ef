/// Compares objects by identity. For reactors inside states that are compared.
#if Migration
    @preconcurrency
#endif
public protocol IdentityEquatable: AnyObject, Equatable {}

extension IdentityEquatable {
    /// Whether both are the same object.
    public static func == (left: Self, right: Self) -> Bool { left === right }
}
