/// An observable of whatever element.
protocol AnyObservable: AnyObject, Sendable {
    var elementName: String { get }

    /// The observables among what it is made of.
    var parameters: [any AnyObservable] { get }
}

/// An observable that is described in traces otherwise than by its class and what it holds.
protocol Traced: AnyObservable {
    var tracedName: String { get }
    var tracedSources: [any AnyObservable] { get }
    /// Where it was written, when it was told.
    var tracedPlace: String? { get }
}

/// A producer: what it holds are parameters, which do not change and so may be looked at.
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

    /// Looks into values, not into objects.
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
