internal import Rx

/// The observables of an action, created on first use of any of them.
final class ActionStreams<Element: RxSendable>: ActionListener, @unchecked Sendable {
    // Unchecked: immutable.
    let elements = PublishSubject<Element>()
    let errors = PublishSubject<ActionError>()
    let completions = PublishSubject<Void>()
    let executions = PublishSubject<Execution<Element>>()
    let executing: BehaviorSubject<Bool>
    let enabled: BehaviorSubject<Bool>
    let transitions: PublishSubject<ActionTransition<Element>>
    private let sender: Transitions<Element>

    init(executing: Bool, enabled: Bool) {
        self.executing = BehaviorSubject(value: executing)
        self.enabled = BehaviorSubject(value: enabled)
        let transitions = PublishSubject<ActionTransition<Element>>()
        self.transitions = transitions
        sender = Transitions({ transitions.onNext($0) }, onElement: nil)
    }

    func element(_ execution: Execution<Element>, _ element: Element) {
        if transitions.hasObservers { sender.element(execution, element) }
        elements.onNext(element)
    }

    override func queued(_ execution: AnyExecution, _ change: LevelChange) {
        if transitions.hasObservers { sender.queued(execution, change) }
        levels(change)
    }

    override func began(_ execution: AnyExecution, _ change: LevelChange) {
        if transitions.hasObservers { sender.began(execution, change) }
        // All executions of a gate have the element type of its action.
        executions.onNext(unsafeDowncast(execution, to: Execution<Element>.self))
        levels(change)
    }

    override func ended(_ execution: AnyExecution, _ end: ExecutionEnd, _ change: LevelChange) {
        if transitions.hasObservers { sender.ended(execution, end, change) }
        switch end {
        case .completed: completions.onNext(())
        case .failed(let error), .cancelled(let error): errors.onNext(.underlyingError(error))
        }
        levels(change)
    }

    override func refused(_ refusal: Refusal) {
        if transitions.hasObservers { sender.refused(refusal) }
        errors.onNext(ActionError(refusal))
    }

    override func conditionFailed(_ error: any Error, _ change: LevelChange) {
        if transitions.hasObservers { sender.conditionFailed(error, change) }
        errors.onNext(.underlyingError(error))
        levels(change)
    }

    override func changed(_ change: LevelChange) {
        if transitions.hasObservers { sender.changed(change) }
        levels(change)
    }

    private func levels(_ change: LevelChange) {
        if let value = change.executing { executing.onNext(value) }
        if let value = change.enabled { enabled.onNext(value) }
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
