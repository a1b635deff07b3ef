internal import Rx

/// The receivers of one step. Chosen when the step leaves the queue, so that a later subscriber receives only later
/// steps.
struct Audience {
    var change = LevelChange()
    let listener: ActionListener?
    let streams: ActionListener?
    /// The `Results` of the execution. Stored as an object, because delivering a step must not cost a type lookup.
    var results: (any AnyObject & Sendable)?

    func send<Element>(_ element: Element, of execution: Execution<Element>) {
        // The listeners and results of an action have its element type.
        if let results { unsafeDowncast(results, to: Results<Element>.self).element(element) }
        if let listener { unsafeDowncast(listener, to: Transitions<Element>.self).element(execution, element) }
        if let streams { unsafeDowncast(streams, to: ActionStreams<Element>.self).element(execution, element) }
    }

    func forEach(_ body: (ActionListener) -> Void) {
        if let listener { body(listener) }
        if let streams { body(streams) }
    }
}

/// Receives the transitions of an action, independent of its element type.
///
/// One method per step, with the levels that it changes, so that the generic enum is looked up once per step.
class ActionListener: @unchecked Sendable {
    // Unchecked: subclasses are immutable.
    func queued(_ execution: AnyExecution, _ change: LevelChange) {}
    func began(_ execution: AnyExecution, _ change: LevelChange) {}
    func ended(_ execution: AnyExecution, _ end: ExecutionEnd, _ change: LevelChange) {}
    func refused(_ refusal: Refusal) {}
    func conditionFailed(_ error: any Error, _ change: LevelChange) {}
    func changed(_ change: LevelChange) {}
    func released() {}
}

/// Forwards the steps as transitions to a closure.
final class Transitions<Element: RxSendable>: ActionListener, @unchecked Sendable {
    // Unchecked: immutable.
    private let send: @Sendable (ActionTransition<Element>) -> Void
    private let onElement: (@Sendable (Execution<Element>, Element) -> Void)?

    /// - Parameter onElement: receives elements in place of `send`.
    init(
        _ send: @escaping @Sendable (ActionTransition<Element>) -> Void,
        onElement: (@Sendable (Execution<Element>, Element) -> Void)?
    ) {
        self.send = send
        self.onElement = onElement
    }

    func element(_ execution: Execution<Element>, _ element: Element) {
        if let onElement { onElement(execution, element) } else { send(execution, element) }
    }

    @inline(never)  // Inlined, the generic enum is looked up without need.
    private func send(_ execution: Execution<Element>, _ element: Element) { send(.element(execution, element)) }

    override func queued(_ execution: AnyExecution, _ change: LevelChange) {
        send(.queued(typed(execution)))
        sendLevels(change)
    }

    override func began(_ execution: AnyExecution, _ change: LevelChange) {
        send(.started(typed(execution)))
        sendLevels(change)
    }

    override func ended(_ execution: AnyExecution, _ end: ExecutionEnd, _ change: LevelChange) {
        send(.ended(typed(execution), end))
        sendLevels(change)
    }

    override func refused(_ refusal: Refusal) { send(.refused(refusal)) }

    override func conditionFailed(_ error: any Error, _ change: LevelChange) {
        send(.conditionFailed(error))
        sendLevels(change)
    }

    override func changed(_ change: LevelChange) { sendLevels(change) }

    /// Inlined into the callers, which have already looked up the generic enum.
    @inline(__always)
    private func sendLevels(_ change: LevelChange) {
        if let value = change.executing { send(.executing(value)) }
        if let value = change.enabled { send(.enabled(value)) }
    }

    private func typed(_ execution: AnyExecution) -> Execution<Element> {
        // All executions of a gate have the element type of its action.
        unsafeDowncast(execution, to: Execution<Element>.self)
    }
}
