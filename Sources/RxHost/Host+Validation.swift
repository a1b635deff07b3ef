public import RxJSON

extension Host {
    /// Bytes of the largest input that is validated within its request: that takes some tens of microseconds.
    public static let inputBytesValidatedAtOnce = 4096

    /// Whether the validation of `input` may take long, so that a caller that must not block validates it ahead. The
    /// program of an action with groups runs in another process.
    public func validatesLong(_ input: RawJSON, for action: HostedAction) -> Bool {
        // Not its value, which is large.
        let definition = action.currentDefinition
        if definition.value.groups != nil { return true }
        return input.utf8.count > Self.inputBytesValidatedAtOnce && definition.value.schema != nil
    }

    /// Validates an input ahead of its request. Any thread.
    public func validation(of input: RawJSON, for action: HostedAction) -> InputValidation {
        InputValidation(input, under: action.currentDefinition, at: services.time)
    }
}
