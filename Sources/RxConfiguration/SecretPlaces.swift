internal import RxJSON

extension JSONSchema {
    /// The longest array that is tried for a pointer with a number in it.
    private static let longestArray = 256

    /// Whether the schema may mark the value at a pointer, or a value around it, `writeOnly`.
    func hides(_ pointer: JSONPointer) -> Bool {
        guard hasSecrets else { return false }
        return Self.samples(of: pointer.tokens[...]).contains { sample in
            // What is around a hidden value is replaced by a text as a whole.
            redacting(RawJSON(sample)).value(at: pointer)?.value() != .string(Self.sample)
        }
    }

    private static let sample = "x"

    /// Inputs in which the pointer leads to a value: a number is a member of an object, or an index of an array.
    private static func samples(of tokens: ArraySlice<String>) -> [JSONValue] {
        guard let first = tokens.first else { return [.string(sample)] }
        return samples(of: tokens.dropFirst()).flatMap { inner -> [JSONValue] in
            var object = JSONObject()
            object[first] = inner
            guard let index = Int(first), (0..<longestArray).contains(index), String(index) == first else {
                return [.object(object)]
            }
            return [.object(object), .array(Array(repeating: .null, count: index) + [inner])]
        }
    }
}
