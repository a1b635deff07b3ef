internal import Rx

/// The observables of an action. Made when someone first asks for one of them.
final class ActionStreams<Element: Sendable>: Sendable {
    let elements = PublishSubject<Element>()
    let errors = PublishSubject<ActionError>()
    let completions = PublishSubject<Void>()
    let executions = PublishSubject<Execution<Element>>()
    let transitions = PublishSubject<ActionTransition<Element>>()
    let executing: BehaviorSubject<Bool>
    let enabled: BehaviorSubject<Bool>

    init(executing: Bool, enabled: Bool) {
        self.executing = BehaviorSubject(value: executing)
        self.enabled = BehaviorSubject(value: enabled)
    }

    func tell(_ transition: ActionTransition<Element>) {
        transitions.onNext(transition)
        switch transition {
        case .started(let execution):
            executions.onNext(execution)
        case .executing(let value):
            executing.onNext(value)
        case .enabled(let value):
            enabled.onNext(value)
        case .element(_, let element):
            elements.onNext(element)
        case .ended(_, .completed):
            completions.onNext(())
        case .ended(_, .failed(let error)), .ended(_, .cancelled(let error)), .conditionFailed(let error):
            errors.onNext(.underlyingError(error))
        case .refused:
            errors.onNext(.notEnabled)
        }
    }

    func complete() {
        elements.onCompleted()
        errors.onCompleted()
        completions.onCompleted()
        executions.onCompleted()
        executing.onCompleted()
        enabled.onCompleted()
        transitions.onCompleted()
    }
}
