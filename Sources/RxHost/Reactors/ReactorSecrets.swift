internal import RxJSON
internal import RxStore

extension KeptStep.Reduction {
    /// The reduction without the values of its action that the schema of actions marks `writeOnly`; an action that had
    /// any cannot be dispatched again. The mutation stays as it is: the state is made of mutations, and a change of the
    /// definition may reduce them again.
    func withoutSecrets(of schema: JSONSchema) -> Self {
        guard schema.hasSecrets, let action else { return self }
        let shown = schema.redacting(action)
        guard shown != action else { return self }
        var reduction = self
        reduction.action = shown
        reduction.start = nil
        return reduction
    }
}

extension ReactorFault {
    /// The fault without the values of its action that the schema of actions marks `writeOnly`. In a mutation nobody
    /// knows where they are.
    func withoutSecrets(of schema: JSONSchema) -> ReactorFault {
        guard stage == .mutate, let input, let mask = SecretMask(schema, input) else { return self }
        var fault = self
        fault.input = schema.redacting(input)
        fault.message = mask.masking(message)
        return fault
    }
}
