/// A type that can be converted to an observable sequence: observables, subjects, relays, traits, connectables.
#if Migration
    @preconcurrency
#endif
public protocol ObservableConvertibleType<Element>: RxSendable {
    /// The element of the sequence.
    associatedtype Element: RxSendable

    /// Returns the sequence as an `Observable`.
    func asObservable() -> Observable<Element>
}
