internal import Rx

/// The observables of an action. Made when someone first asks for one of them.
final class ActionStreams<Element: Sendable>: ActionListener, @unchecked Sendable {
    // Unchecked: immutable.
    let elements = PublishSubject<Element>()
    let errors = PublishSubject<ActionError>()
    let completions = PublishSubject<Void>()
    let executions = PublishSubject<Execution<Element>>()
    let executing: BehaviorSubject<Bool>
    let enabled: BehaviorSubject<Bool>
    let transitions: PublishSubject<ActionTransition<Element>>
    private let teller: Transitions<Element>

    init(executing: Bool, enabled: Bool) {
        self.executing = BehaviorSubject(value: executing)
        self.enabled = BehaviorSubject(value: enabled)
        let transitions = PublishSubject<ActionTransition<Element>>()
        self.transitions = transitions
        teller = Transitions { transitions.onNext($0) }
    }

    func element(_ execution: Execution<Element>, _ element: Element) {
        if transitions.hasObservers { teller.element(execution, element) }
        elements.onNext(element)
    }

    override func began(_ execution: AnyExecution) {
        if transitions.hasObservers { teller.began(execution) }
        // A gate has executions of one element type, that of its action.
        executions.onNext(unsafeDowncast(execution, to: Execution<Element>.self))
        executing.onNext(true)
        enabled.onNext(false)
    }

    override func ended(_ execution: AnyExecution, _ end: ExecutionEnd, enables: Bool) {
        if transitions.hasObservers { teller.ended(execution, end, enables: enables) }
        switch end {
        case .completed: completions.onNext(())
        case .failed(let error), .cancelled(let error): errors.onNext(.underlyingError(error))
        }
        executing.onNext(false)
        if enables { enabled.onNext(true) }
    }

    override func refused(_ refusal: Refusal) {
        if transitions.hasObservers { teller.refused(refusal) }
        errors.onNext(.notEnabled)
    }

    override func enabled(_ value: Bool) {
        if transitions.hasObservers { teller.enabled(value) }
        enabled.onNext(value)
    }

    override func conditionFailed(_ error: any Error, disables: Bool) {
        if transitions.hasObservers { teller.conditionFailed(error, disables: disables) }
        errors.onNext(.underlyingError(error))
        if disables { enabled.onNext(false) }
    }

    override func released() {
        elements.onCompleted()
        errors.onCompleted()
        completions.onCompleted()
        executions.onCompleted()
        executing.onCompleted()
        enabled.onCompleted()
        transitions.onCompleted()
    }
}
