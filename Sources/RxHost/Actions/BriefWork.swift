internal import RxRecords
internal import RxAction
internal import RxJSON

/// The parts of a definition that a brief execution needs, in one object: copying the whole definition would cost more
/// than the execution.
public final class BriefWork: Sendable {
    let answer: @Sendable (RawJSON) -> Result<RawJSON, WorkFailure>
    let validate: @Sendable (RawJSON) -> [InputFault]
    let schema: JSONSchema?
    /// Whether one execution in flight disables the action.
    let disables: Bool

    /// Nil for a definition whose executions have to do more than a brief one does.
    init?(_ definition: ActionDefinition) {
        guard let answer = definition.answer, !definition.keepsHistory, !definition.isDurable, definition.retry == nil,
            definition.groups == nil
        else { return nil }
        switch definition.overlap {
        case .reject, .queue(limit: 0, parallel: 1): disables = true
        case .queue, .latest, .join: disables = false
        // Its levels depend on what else is in flight.
        case .concurrent: return nil
        }
        self.answer = answer
        validate = definition.validate
        schema = definition.schema
    }
}
