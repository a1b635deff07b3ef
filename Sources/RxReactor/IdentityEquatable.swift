/// Equal is what is the same object: for reactors within states that are compared.
public protocol IdentityEquatable: AnyObject, Equatable {}

extension IdentityEquatable {
    public static func == (left: Self, right: Self) -> Bool { left === right }
}
