public import Rx

// `bind(to: action.inputs)` does the same and keeps nothing: there the action must be kept by others.

extension ObservableConvertibleType {
    /// Each element is an input of `action`; refusals and failures are in its `errors`. Errors and the end of the sequence are
    /// ignored. Keeps the action alive until the sequence ends or the binding is disposed.
    public func bind<Output>(to action: Action<Element, Output>) -> any Disposable {
        asObservable().subscribe(onNext: { action.start($0) }, onError: { _ in })
    }

    /// What `inputTransform` makes of each element is an input of `action`.
    public func bind<Input, Output>(
        to action: Action<Input, Output>, inputTransform: @escaping @Sendable (Element) -> Input
    ) -> any Disposable {
        asObservable().subscribe(onNext: { action.start(inputTransform($0)) }, onError: { _ in })
    }

    /// Each element executes `action` with `input`.
    public func bind<Input, Output>(to action: Action<Input, Output>, input: Input) -> any Disposable {
        bind(to: action, inputTransform: { _ in input })
    }
}
