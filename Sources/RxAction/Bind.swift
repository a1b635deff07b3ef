public import Rx

// `bind(to: action.inputs)` does the same without retaining the action.

extension ObservableConvertibleType {
    /// Executes `action` with each element and ignores the error and the completion of the sequence. `action.errors`
    /// reports refusals and failures.
    ///
    /// The binding retains the action until the sequence ends or the binding is disposed.
    public func bind<Output>(to action: Action<Element, Output>) -> any Disposable {
        bind(to: action, inputTransform: { $0 })
    }

    /// Executes `action` with `inputTransform(element)` for each element and ignores the end of the sequence.
    ///
    /// The binding retains the action until the sequence ends or the binding is disposed.
    #if Migration
        @preconcurrency
    #endif
    public func bind<Input, Output>(
        to action: Action<Input, Output>, inputTransform: @escaping @Sendable (Element) -> Input
    ) -> any Disposable {
        asObservable().subscribe(InputObserver(action: action, inputTransform: inputTransform))
    }

    /// Executes `action` with `input` for each element and ignores the end of the sequence.
    ///
    /// The binding retains the action until the sequence ends or the binding is disposed.
    public func bind<Input, Output>(to action: Action<Input, Output>, input: Input) -> any Disposable {
        bind(to: action, inputTransform: { _ in input })
    }
}

/// Executes `action` with the transformed elements and ignores the end of the sequence.
private struct InputObserver<Element: RxSendable, Input: RxSendable, Output: RxSendable>: ObserverType {
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
