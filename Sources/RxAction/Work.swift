internal import Rx

/// The work of one execution, subscribed: the last stage of its chain.
class Work<Element: Sendable>: Sink<Element>, @unchecked Sendable {
    // Unchecked: see `Stage`.
    final let execution: Execution<Element>

    init(_ execution: Execution<Element>) {
        self.execution = execution
        super.init()
    }

    /// Makes the work and subscribes it, unless the execution was cancelled meanwhile.
    func run() {}

    final override func next(_ element: Element) {
        guard isOpen else { return }
        execution.gate.deliver(element, of: execution)
    }

    final override func failed(_ error: any Error) { execution.gate.end(execution, .failed(error)) }
    final override func finished() { execution.gate.end(execution, .completed) }
}

/// Work and the input it is for.
final class InputWork<Input: Sendable, Element: Sendable>: Work<Element>, @unchecked Sendable {
    // Unchecked: see `Stage`.
    private let input: Input
    private let factory: @Sendable (Input, WorkContext) -> Observable<Element>

    init(
        _ execution: Execution<Element>, _ input: Input,
        _ factory: @escaping @Sendable (Input, WorkContext) -> Observable<Element>
    ) {
        self.input = input
        self.factory = factory
        super.init(execution)
    }

    override func run() {
        guard isOpen else { return }
        let observable = factory(input, WorkContext(execution: execution))
        guard isOpen else { return }
        observable.subscribe(into: self)
    }
}
