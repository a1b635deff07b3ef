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
    public func bind<Input, Output>(
        to action: Action<Input, Output>, inputTransform: @escaping @Sendable (Element) -> Input
    ) -> any Disposable {
        let inputs = InputSink(action, inputTransform)
        asObservable().subscribe(into: inputs)
        return inputs
    }

    /// Executes `action` with `input` for each element and ignores the end of the sequence.
    ///
    /// The binding retains the action until the sequence ends or the binding is disposed.
    public func bind<Input, Output>(to action: Action<Input, Output>, input: Input) -> any Disposable {
        bind(to: action, inputTransform: { _ in input })
    }
}

/// The last stage of a chain whose elements are inputs of an action.
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

    /// Releases the action, so that retaining a finished binding does not retain it.
    override func closed() {
        let action = action.withLock { action in
            defer { action = nil }
            return action
        }
        withExtendedLifetime(action) {}
    }
}
