internal import RxRecords
internal import RxJSON

/// Validates actions as one definition of a reactor does.
struct DispatchValidation: Sendable {
    /// The number of the definition.
    let number: UInt64
    let validate: @Sendable (_ action: RawJSON, _ causes: Causes) throws(DispatchRefusal) -> ReactorInput
}

extension ReactorDefinition {
    var validation: DispatchValidation { DispatchValidation(number: number, validate: input) }
}
