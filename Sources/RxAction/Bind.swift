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
        let inputs = InputSink(action, inputTransform)
        asObservable().subscribe(into: inputs)
        return inputs
    }

    /// Each element executes `action` with `input`.
    public func bind<Input, Output>(to action: Action<Input, Output>, input: Input) -> any Disposable {
        bind(to: action, inputTransform: { _ in input })
    }
}

/// The end of a chain whose elements are inputs.
private final class InputSink<Element: Sendable, Input: Sendable, Output: Sendable>: Sink<Element>, @unchecked Sendable
{
    // Unchecked: see `Stage`.
    private let action: Locked<Action<Input, Output>?>
    private let inputTransform: @Sendable (Element) -> Input

    init(_ action: Action<Input, Output>, _ inputTransform: @escaping @Sendable (Element) -> Input) {
        self.action = Locked(action)
        self.inputTransform = inputTransform
        super.init()
    }

    override func next(_ element: Element) {
        guard isOpen, let action = action.withLock({ $0 }) else { return }
        action.start(inputTransform(element))
    }

    /// Who keeps a binding that is over does not keep the action.
    override func closed() {
        let action = action.withLock { action in
            defer { action = nil }
            return action
        }
        withExtendedLifetime(action) {}
    }
}
