internal import Rx
internal import RxAction
internal import RxJSON

extension HostedAction {
    /// An action whose gate runs `ExecutionWork` and reports to `TransitionHandler`.
    convenience init(_ definition: ActionDefinition, _ services: HostServices, _ keys: ExecutionKeys) {
        self.init(
            definition, services,
            work: { execution, context in ExecutionWork(execution, context).observable() },
            onTransition: { action, transition in TransitionHandler(action: action, keys: keys).handle(transition) },
            onElement: { action, execution, element in
                TransitionHandler(action: action, keys: keys).yielded(element, execution)
            })
    }
}
