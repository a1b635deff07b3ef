internal import RxJSON
internal import RxStore

extension KeptStep.Reduction {
    /// The reduction without the values of its action that the schema of actions marks `writeOnly`. The mutation stays
    /// as it is: the state is made of mutations, and a change of the definition may reduce them again.
    func withoutSecrets(of schema: JSONSchema) -> Self {
        var reduction = self
        reduction.action = action.map(schema.redacting)
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
