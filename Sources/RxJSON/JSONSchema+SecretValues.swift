extension JSONSchema {
    /// The strings and numbers in the parts of `input` that the schema may mark `writeOnly`, as texts without quotes or
    /// escapes; none if it hides nothing.
    public func secretTexts(in input: RawJSON) -> [String] {
        guard hasSecrets else { return [] }
        return secretTexts(in: input, secrets(in: input))
    }

    /// - Parameter places: of the secrets; nil if all of the input must count as secret.
    func secretTexts(in input: RawJSON, _ places: Set<JSONPointer>?) -> [String] {
        if let places, places.isEmpty { return [] }
        let value = input.value()
        guard let places else { return value.leafTexts }
        return places.flatMap { value.value(at: $0)?.leafTexts ?? [] }
    }
}

extension JSONValue {
    fileprivate var leafTexts: [String] {
        switch self {
        case .null, .bool: []
        case .number(let number): [number.text]
        case .string(let text): [text]
        case .array(let elements): elements.flatMap(\.leafTexts)
        case .object(let members): members.flatMap(\.value.leafTexts)
        }
    }
}
