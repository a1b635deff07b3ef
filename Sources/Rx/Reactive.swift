/// The reactive extensions of a type, available as `object.rx`.
///
/// Add extensions for a type with `extension Reactive where Base: …`.
@dynamicMemberLookup
public struct Reactive<Base> {
    /// The extended object.
    public let base: Base

    /// Creates the extensions of `base`.
    public init(_ base: Base) {
        self.base = base
    }

    /// A binder that sets the property of this name on the main thread.
    public subscript<Property: RxSendable>(
        dynamicMember keyPath: ReferenceWritableKeyPath<Base, Property>
    ) -> Binder<Property> where Base: AnyObject & RxSendable {
        let property = PropertyPath(path: keyPath)
        return Binder(base) { base, value in base[keyPath: property.path] = value }
    }
}

extension Reactive: Sendable where Base: RxSendable {}

/// The key path of `rx.name`.
private struct PropertyPath<Base, Property>: @unchecked Sendable {
    // Unchecked: it identifies a property and captures nothing; a main actor's property is set only on the main thread.
    let path: ReferenceWritableKeyPath<Base, Property>
}

/// A type with reactive extensions.
#if Migration
    @preconcurrency
#endif
public protocol ReactiveCompatible {
    /// The extended type.
    associatedtype ReactiveBase

    /// The extensions of the type.
    static var rx: Reactive<ReactiveBase>.Type { get set }

    /// The extensions of an instance.
    var rx: Reactive<ReactiveBase> { get set }
}

extension ReactiveCompatible {
    // Settable only so that properties of an extension can be assigned through `rx`; the setter does nothing.

    /// The extensions of the type.
    public static var rx: Reactive<Self>.Type {
        get { Reactive<Self>.self }
        set {}
    }

    /// The extensions of this instance.
    public var rx: Reactive<Self> {
        get { Reactive(self) }
        set {}
    }
}
