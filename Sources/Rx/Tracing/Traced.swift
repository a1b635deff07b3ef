/// An observable of any element type.
protocol AnyObservable: AnyObject, Sendable {
    var elementName: String { get }

    /// The observables among its properties.
    var parameters: [any AnyObservable] { get }
}

/// An observable that traces do not describe by its class and properties.
protocol Traced: AnyObservable {
    var tracedName: String { get }
    var tracedSources: [any AnyObservable] { get }
    /// The recorded location of the call; nil if none was given.
    var tracedPlace: String? { get }
}

/// A producer. Its properties are immutable parameters and can therefore be inspected.
protocol OperatorOrSource {}

extension Producer: OperatorOrSource {}

extension Observable: AnyObservable {
    var elementName: String { "\(Element.self)" }

    var parameters: [any AnyObservable] {
        guard self is any OperatorOrSource else { return [] }
        var found: [any AnyObservable] = []
        var mirror: Mirror? = Mirror(reflecting: self)
        while let current = mirror {
            for child in current.children { Self.collect(child.value, &found) }
            mirror = current.superclassMirror
        }
        return found
    }

    /// Searches values, but not objects.
    private static func collect(_ value: Any, _ found: inout [any AnyObservable]) {
        if let observable = value as? any AnyObservable { return found.append(observable) }
        let mirror = Mirror(reflecting: value)
        switch mirror.displayStyle {
        case .tuple, .collection, .struct, .optional, .enum:
            for child in mirror.children { collect(child.value, &found) }
        default:
            return
        }
    }
}
