extension JSONSchema {
    /// The strings and numbers in the parts of `input` that the schema may mark `writeOnly`, as texts without quotes or
    /// escapes; none if it hides nothing.
    public func secretTexts(in input: RawJSON) -> [String] {
        guard hasSecrets else { return [] }
        let value = input.value()
        guard let places = secrets(in: input) else { return value.leafTexts }
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
