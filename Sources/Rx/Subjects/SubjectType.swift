/// An observable that is an observer too: what it receives, its subscribers receive.
public protocol SubjectType<Element>: ObservableType {
    associatedtype Observer: ObserverType

    func asObserver() -> Observer
}
