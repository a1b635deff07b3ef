/// A type that can be converted to an observable sequence: observables, subjects, relays, traits, connectables.
public protocol ObservableConvertibleType<Element>: Sendable {
    associatedtype Element: Sendable

    func asObservable() -> Observable<Element>
}
