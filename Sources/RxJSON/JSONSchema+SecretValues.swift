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
        var texts: [String] = []
        if let places {
            for place in places { value.value(at: place)?.appendLeaves(to: &texts) }
        } else {
            value.appendLeaves(to: &texts)
        }
        return texts
    }
}

extension JSONValue {
    fileprivate func appendLeaves(to texts: inout [String]) {
        switch self {
        case .null, .bool: break
        case .number(let number): texts.append(number.text)
        case .string(let text): texts.append(text)
        case .array(let elements): for element in elements { element.appendLeaves(to: &texts) }
        case .object(let members): for member in members { member.value.appendLeaves(to: &texts) }
        }
    }
}
