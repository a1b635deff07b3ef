public import RxJSON

extension Host {
    /// Bytes of the largest input that is validated within its request: that takes some tens of microseconds.
    public static let inputBytesValidatedAtOnce = 4096

    /// Whether the validation of `input` may take long, so that a caller that must not block validates it ahead. The
    /// program of an action with groups runs in another process.
    ///
    /// - Parameters:
    ///   - input: the input.
    ///   - action: the action that is to execute it.
    ///   - isKeyed: whether the request has a key, for which a long input is hashed.
    public func validatesLong(_ input: RawJSON, for action: HostedAction, isKeyed: Bool = false) -> Bool {
        // Not its value, which is large.
        let definition = action.currentDefinition
        if definition.value.groups != nil { return true }
        return input.utf8.count > Self.inputBytesValidatedAtOnce && (isKeyed || definition.value.schema != nil)
    }

    /// Validates an input ahead of its request, and makes what the request needs of it. Any thread.
    ///
    /// - Parameters:
    ///   - input: the input.
    ///   - action: the action that is to execute it.
    ///   - isKeyed: whether the request has a key.
    public func validation(of input: RawJSON, for action: HostedAction, isKeyed: Bool = false) -> InputValidation {
        InputValidation(
            ahead: input, under: action.currentDefinition, at: services.time, isKeyed ? inputSalt : nil)
    }
}
