/// A type-erased observer.
public struct AnyObserver<Element: RxSendable>: ObserverType, Sendable {
    /// Receives the events of an observer made from a closure.
    public typealias EventHandler = RxSendableClosure<Event<Element>, Void>

    let stage: Stage<Element>

    /// Wraps `observer`.
    public init<Observer: ObserverType>(_ observer: Observer) where Observer.Element == Element {
        stage = (observer as? AnyObserver<Element>)?.stage ?? ObserverStage(observer)
    }

    /// Creates an observer that calls `eventHandler` for each event.
    public init(eventHandler: @escaping EventHandler) {
        stage = HandlerStage(eventHandler)
    }

    init(_ stage: Stage<Element>) {
        self.stage = stage
    }

    /// Passes `event` to the wrapped observer.
    public func on(_ event: Event<Element>) {
        switch event {
        case .next(let element): stage.next(element)
        case .error(let error): stage.error(error)
        case .completed: stage.completed()
        }
    }

    /// Passes an element to the wrapped observer.
    public func onNext(_ element: Element) { stage.next(element) }
    /// Passes an error to the wrapped observer.
    public func onError(_ error: any Error) { stage.error(error) }
    /// Passes completion to the wrapped observer.
    public func onCompleted() { stage.completed() }

    /// Returns this observer.
    public func asObserver() -> AnyObserver<Element> { self }
}

/// Adapts an observer to a stage without enforcing the grammar; the observer's owner is responsible for that.
final class ObserverStage<Observer: ObserverType>: Stage<Observer.Element>, @unchecked Sendable {
    // Unchecked: see `Stage`.
    let observer: Observer

    init(_ observer: Observer) {
        self.observer = observer
    }

    override func attach(_ upstream: DisposeBase) {}
    override func next(_ element: Observer.Element) { observer.onNext(element) }
    override func error(_ error: any Error) { observer.onError(error) }
    override func completed() { observer.onCompleted() }
}

final class HandlerStage<Element: RxSendable>: Stage<Element>, @unchecked Sendable {
    // Unchecked: see `Stage`.
    let handler: AnyObserver<Element>.EventHandler

    init(_ handler: @escaping AnyObserver<Element>.EventHandler) {
        self.handler = handler
    }

    override func attach(_ upstream: DisposeBase) {}
    override func next(_ element: Element) { handler(.next(element)) }
    override func error(_ error: any Error) { handler(.error(error)) }
    override func completed() { handler(.completed) }
}
