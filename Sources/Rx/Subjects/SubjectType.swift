/// An observable that is also an observer and emits the events it receives.
#if Migration
    @preconcurrency
#endif
public protocol SubjectType<Element>: ObservableType {
    /// The observer side of the subject.
    associatedtype Observer: ObserverType

    /// Returns the observer side, which receives the events to emit.
    func asObserver() -> Observer
}
