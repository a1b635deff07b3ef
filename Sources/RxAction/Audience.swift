/// Who hears of a step: decided when the step is taken from the queue, so that who comes later gets what follows.
struct Audience {
    var change = LevelChange()
    let listener: ActionListener?
    let streams: ActionListener?
    /// The `Results` of the execution; held as an object, since a step that is told must not cost a look at their type.
    var results: (any AnyObject & Sendable)?

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
/// One method a step, with the levels that it changes, not a transition: the generic enum is then looked up once a step.
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

/// Steps told as transitions to a closure.
final class Transitions<Element: Sendable>: ActionListener, @unchecked Sendable {
    // Unchecked: immutable.
    private let tell: @Sendable (ActionTransition<Element>) -> Void

    init(_ tell: @escaping @Sendable (ActionTransition<Element>) -> Void) {
        self.tell = tell
    }

    func element(_ execution: Execution<Element>, _ element: Element) { tell(.element(execution, element)) }

    override func queued(_ execution: AnyExecution, _ change: LevelChange) {
        tell(.queued(typed(execution)))
        tellLevels(change)
    }

    override func began(_ execution: AnyExecution, _ change: LevelChange) {
        tell(.started(typed(execution)))
        tellLevels(change)
    }

    override func ended(_ execution: AnyExecution, _ end: ExecutionEnd, _ change: LevelChange) {
        tell(.ended(typed(execution), end))
        tellLevels(change)
    }

    override func refused(_ refusal: Refusal) { tell(.refused(refusal)) }

    override func conditionFailed(_ error: any Error, _ change: LevelChange) {
        tell(.conditionFailed(error))
        tellLevels(change)
    }

    override func changed(_ change: LevelChange) { tellLevels(change) }

    /// Part of its callers, which have looked the generic enum up already.
    @inline(__always)
    private func tellLevels(_ change: LevelChange) {
        if let value = change.executing { tell(.executing(value)) }
        if let value = change.enabled { tell(.enabled(value)) }
    }

    private func typed(_ execution: AnyExecution) -> Execution<Element> {
        // A gate has executions of one element type, that of its action.
        unsafeDowncast(execution, to: Execution<Element>.self)
    }
}
