/// The result of validating an input ahead of its request, on another thread.
///
/// `Host.submit` and `Host.check` use it instead of validating again, unless the action has another definition by then.
public struct InputValidation: Sendable {
    let definition: SharedDefinition
    let faults: [InputFault]

    /// The faults of an input under `definition`; nil if this is the result of another definition.
    func faults(under definition: SharedDefinition) -> [InputFault]? {
        definition === self.definition ? faults : nil
    }
}
