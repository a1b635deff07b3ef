/// Who hears of a step: decided when the step is taken from the queue, so that who comes later gets what follows.
struct Audience {
    let listener: ActionListener?
    let streams: ActionListener?
    let results: AnyResults?

    func tell<Element>(_ element: Element, of execution: Execution<Element>) {
        // The listeners and the results of an action are of its element type.
        if let results { unsafeDowncast(results, to: Results<Element>.self).element(element) }
        if let listener { unsafeDowncast(listener, to: Transitions<Element>.self).element(execution, element) }
        if let streams { unsafeDowncast(streams, to: ActionStreams<Element>.self).element(execution, element) }
    }

    func forEach(_ body: (ActionListener) -> Void) {
        if let listener { body(listener) }
        if let streams { body(streams) }
    }
}

/// What hears of the transitions of an action, whatever its elements.
///
/// One method a step, not a transition: the generic enum is then looked up once a step.
class ActionListener: @unchecked Sendable {
    // Unchecked: subclasses are immutable.
    func began(_ execution: AnyExecution) {}
    func ended(_ execution: AnyExecution, _ end: ExecutionEnd, enables: Bool) {}
    func refused(_ refusal: Refusal) {}
    func enabled(_ value: Bool) {}
    func conditionFailed(_ error: any Error, disables: Bool) {}
    func released() {}
}

/// Steps told as transitions to a closure.
final class Transitions<Element: Sendable>: ActionListener, @unchecked Sendable {
    // Unchecked: immutable.
    private let tell: @Sendable (ActionTransition<Element>) -> Void

    init(_ tell: @escaping @Sendable (ActionTransition<Element>) -> Void) {
        self.tell = tell
    }

    func element(_ execution: Execution<Element>, _ element: Element) { tell(.element(execution, element)) }

    override func began(_ execution: AnyExecution) {
        tell(.started(typed(execution)))
        tell(.executing(true))
        tell(.enabled(false))
    }

    override func ended(_ execution: AnyExecution, _ end: ExecutionEnd, enables: Bool) {
        tell(.ended(typed(execution), end))
        tell(.executing(false))
        if enables { tell(.enabled(true)) }
    }

    override func refused(_ refusal: Refusal) { tell(.refused(refusal)) }
    override func enabled(_ value: Bool) { tell(.enabled(value)) }

    override func conditionFailed(_ error: any Error, disables: Bool) {
        tell(.conditionFailed(error))
        if disables { tell(.enabled(false)) }
    }

    private func typed(_ execution: AnyExecution) -> Execution<Element> {
        // A gate has executions of one element type, that of its action.
        unsafeDowncast(execution, to: Execution<Element>.self)
    }
}
