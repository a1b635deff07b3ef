internal import RxJSON

/// `key=value` pairs from an action's schema.
enum InputCompletion {
    /// One candidate for each property that is not given yet, required ones first; one for each value if the schema
    /// lists the values. None if INPUT is not given as pairs.
    static func candidates(schema: JSONValue, _ words: CommandLineWords) -> [Candidate] {
        var given: Set<String> = []
        for word in words.input {
            guard let key = Input.key(ofPair: word) else { return [] }
            given.insert(key)
        }
        let properties = (schema["properties"]?.object ?? [:]).filter { !given.contains($0.key) }
        let required = Set((schema["required"]?.array ?? []).compactMap(\.string))
        let ordered =
            properties.filter { required.contains($0.key) } + properties.filter { !required.contains($0.key) }
        return ordered.flatMap { pairs(key: $0.key, $0.value) }
    }

    private static func pairs(key: String, _ schema: JSONValue) -> [Candidate] {
        // A key that would not be read as a pair, such as one that begins with a digit.
        guard Input.key(ofPair: "\(key)=") == key else { return [] }
        let description = schema["description"]?.string ?? ""
        let values = schema["enum"]?.array ?? (schema["const"].map { [$0] })
        if let values {
            return values.map { value in
                let pair = value.string.map { "\(key)=\($0)" } ?? "\(key):=\(RawJSON(value).text)"
                return Candidate(text: pair, description: description)
            }
        }
        let types = schema["type"]?.array?.compactMap(\.string) ?? schema["type"]?.string.map { [$0] } ?? []
        if types.contains("string") { return [Candidate(text: "\(key)=", description: description)] }
        if types.contains("boolean") {
            return ["true", "false"].map { Candidate(text: "\(key):=\($0)", description: description) }
        }
        // Without a type any value is valid, and text is the easiest to type.
        return [Candidate(text: types.isEmpty ? "\(key)=" : "\(key):=", description: description)]
    }
}
