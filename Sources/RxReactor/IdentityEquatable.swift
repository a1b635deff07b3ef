/// Compares objects by identity. For reactors inside states that are compared.
public protocol IdentityEquatable: AnyObject, Equatable {}

extension IdentityEquatable {
    /// Whether both are the same object.
    public static func == (left: Self, right: Self) -> Bool { left === right }
}
