internal import Rx

/// The work of one execution and its input: the last stage of its chain.
final class Work<Input: RxSendable, Element: RxSendable>: Sink<Element>, ExecutionWork, @unchecked Sendable {
    // Unchecked: see `Stage`.
    private let execution: Execution<Element>
    private let input: Input
    private let factory: @Sendable (Input, WorkContext) -> Observable<Element>

    init(
        _ execution: Execution<Element>, _ input: Input,
        _ factory: @escaping @Sendable (Input, WorkContext) -> Observable<Element>
    ) {
        self.execution = execution
        self.input = input
        self.factory = factory
        super.init()
    }

    func run() {
        guard isOpen else { return }
        let observable = factory(input, WorkContext(execution: execution))
        guard isOpen else { return }
        observable.subscribe(into: self)
    }

    override func next(_ element: Element) {
        guard isOpen else { return }
        let gate = execution.gate
        switch gate.admit(execution) {
        case .ended:
            break
        case .busy:
            gate.queue(ElementStep(execution, element))
        case .granted(let audience):
            audience.send(element, of: execution)
            gate.leave()
        }
    }

    override func failed(_ error: any Error) { execution.gate.end(execution, .failed(error)) }
    override func finished() { execution.gate.end(execution, .completed) }
}

/// An element, of any type, that waits to be delivered.
class AnyElementStep: @unchecked Sendable {
    // Unchecked: immutable.
    final let execution: AnyExecution

    init(_ execution: AnyExecution) {
        self.execution = execution
    }

    func send(to audience: Audience) {}
}

final class ElementStep<Element: RxSendable>: AnyElementStep, @unchecked Sendable {
    // Unchecked: immutable.
    private let element: Element

    init(_ execution: Execution<Element>, _ element: Element) {
        self.element = element
        super.init(execution)
    }

    override func send(to audience: Audience) {
        // Created with an execution of this element type.
        audience.send(element, of: unsafeDowncast(execution, to: Execution<Element>.self))
    }
}
