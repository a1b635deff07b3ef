internal import RxJSON

/// What is shown of an input, and the secrets that must not be kept of its execution. Making it may take long.
struct InputRedaction: Sendable {
    /// The input without the values that the schema marks `writeOnly`.
    let shown: RawJSON
    /// Nil for an input without secrets.
    let mask: SecretMask?
    /// The approximate memory that it uses beside the input.
    let cost: Int

    init(_ schema: JSONSchema?, _ input: RawJSON) {
        guard let schema, schema.hasSecrets else {
            shown = input
            mask = nil
            cost = 0
            return
        }
        let (shown, secrets) = schema.separatingSecrets(of: input)
        let mask = SecretMask(secrets)
        self.shown = shown
        self.mask = mask
        cost = shown.utf8.count + (mask?.cost ?? 0)
    }
}
