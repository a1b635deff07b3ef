public import RxJSON

extension Host {
    /// Bytes of the largest input that is validated within its request: that takes some tens of microseconds.
    public static let inputBytesValidatedAtOnce = 4096

    /// Whether the validation of `input` may take long, so that a caller that must not block validates it ahead.
    public func validatesLong(_ input: RawJSON, for action: HostedAction) -> Bool {
        input.utf8.count > Self.inputBytesValidatedAtOnce && action.currentDefinition.value.schema != nil
    }

    /// Validates an input ahead of its request. Any thread.
    public func validation(of input: RawJSON, for action: HostedAction) -> InputValidation {
        let definition = action.currentDefinition
        return InputValidation(definition: definition, faults: definition.value.validate(input))
    }
}
