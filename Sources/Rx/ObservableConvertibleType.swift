/// A type that can be converted to an observable sequence: observables, subjects, relays, traits, connectables.
public protocol ObservableConvertibleType<Element>: Sendable {
    /// The element of the sequence.
    associatedtype Element: Sendable

    /// Returns the sequence as an `Observable`.
    func asObservable() -> Observable<Element>
}
