/// Reactive extensions of a type: what is written `object.rx.…`.
///
/// Extend it for a kind of object with `extension Reactive where Base: …`.
@dynamicMemberLookup
public struct Reactive<Base> {
    /// The object that is extended.
    public let base: Base

    public init(_ base: Base) {
        self.base = base
    }

    /// A binder that sets the property of this name, on the main thread.
    public subscript<Property: Sendable>(
        dynamicMember keyPath: ReferenceWritableKeyPath<Base, Property>
    ) -> Binder<Property> where Base: AnyObject & Sendable {
        let property = PropertyPath(path: keyPath)
        return Binder(base) { base, value in base[keyPath: property.path] = value }
    }
}

extension Reactive: Sendable where Base: Sendable {}

/// The path of `rx.name`.
private struct PropertyPath<Base, Property>: @unchecked Sendable {
    // Unchecked: it names a property and captures nothing; one of a main actor's is written on the main thread only.
    let path: ReferenceWritableKeyPath<Base, Property>
}

/// A type that has reactive extensions.
public protocol ReactiveCompatible {
    associatedtype ReactiveBase

    /// The extensions of the type itself.
    static var rx: Reactive<ReactiveBase>.Type { get set }

    /// The extensions of an instance.
    var rx: Reactive<ReactiveBase> { get set }
}

extension ReactiveCompatible {
    // Settable, so that what an extension offers may be assigned to through `rx`; there is nothing to set.

    public static var rx: Reactive<Self>.Type {
        get { Reactive<Self>.self }
        set {}
    }

    public var rx: Reactive<Self> {
        get { Reactive(self) }
        set {}
    }
}
