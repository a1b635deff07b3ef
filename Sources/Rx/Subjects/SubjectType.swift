/// An observable that is also an observer and emits the events it receives.
public protocol SubjectType<Element>: ObservableType {
    associatedtype Observer: ObserverType

    func asObserver() -> Observer
}
