/// A definition that many executions share: one reference instead of a copy of all its parts for each.
final class SharedDefinition: Sendable {
    let value: ActionDefinition
    /// Nil for an action that is not executed briefly.
    let brief: BriefWork?

    init(_ value: ActionDefinition) {
        self.value = value
        brief = BriefWork(value)
    }
}
