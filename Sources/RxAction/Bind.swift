public import Rx

// `bind(to: action.inputs)` does the same and keeps nothing: there the action must be kept by others.

extension ObservableConvertibleType {
    /// Each element is an input of `action`; refusals and failures are in its `errors`. Errors and the end of the sequence are
    /// ignored. Keeps the action alive until the sequence ends or the binding is disposed.
    public func bind<Output>(to action: Action<Element, Output>) -> any Disposable {
        bind(to: action, inputTransform: { $0 })
    }

    /// What `inputTransform` makes of each element is an input of `action`.
    public func bind<Input, Output>(
        to action: Action<Input, Output>, inputTransform: @escaping @Sendable (Element) -> Input
    ) -> any Disposable {
        asObservable().subscribe(InputObserver(action: action, inputTransform: inputTransform))
    }

    /// Each element executes `action` with `input`.
    public func bind<Input, Output>(to action: Action<Input, Output>, input: Input) -> any Disposable {
        bind(to: action, inputTransform: { _ in input })
    }
}

/// Executes `action` with what `inputTransform` makes of each element, and ignores the ends.
private struct InputObserver<Element: Sendable, Input: Sendable, Output: Sendable>: ObserverType {
    let action: Action<Input, Output>
    let inputTransform: @Sendable (Element) -> Input

    func onNext(_ element: Element) { action.start(inputTransform(element)) }
    func onError(_ error: any Error) {}
    func onCompleted() {}

    func on(_ event: Event<Element>) {
        switch event {
        case .next(let element): onNext(element)
        case .error, .completed: break
        }
    }
}
