extension JSONSchema {
    /// What stands for a value that is not shown.
    public static let redacted = "[redacted]"

    /// `input` with everything that the schema may mark `writeOnly` replaced by `redacted`: an alternative that does
    /// not apply protects as well, and so does a mark beside a `$ref`. Everything else stays as written, but for white
    /// space and repeated keys. The very same input if the schema hides nothing.
    public func redacting(_ input: RawJSON) -> RawJSON {
        guard hasSecrets else { return input }
        return redacting(input, secrets(in: input))
    }

    /// `redacting` and `secretTexts` of an input, which is searched once for both.
    public func separatingSecrets(of input: RawJSON) -> (shown: RawJSON, secrets: [String]) {
        guard hasSecrets else { return (input, []) }
        let places = secrets(in: input)
        return (redacting(input, places), secretTexts(in: input, places))
    }

    /// - Parameter secrets: nil if all of the input must count as secret.
    private func redacting(_ input: RawJSON, _ secrets: Set<JSONPointer>?) -> RawJSON {
        guard let secrets else { return RawJSON(.string(Self.redacted)) }
        let limits = JSONLimits(bytes: .max, depth: JSONLimits.greatestDepth)
        let copy = try? JSONReader(limits: limits).read(copying: input.utf8, anyNumber: true) { view in
            var writer = JSONWriter(reserving: input.utf8.count)
            writer.copy(view, at: JSONPointer(tokens: []), without: secrets)
            return RawJSON(unchecked: writer.bytes)
        }
        return copy ?? RawJSON(.string(Self.redacted))
    }
}

extension JSONWriter {
    /// Only the last value of a repeated key is copied: it alone counts, and it alone has been looked at.
    fileprivate mutating func copy(_ view: JSONView, at place: JSONPointer, without secrets: Set<JSONPointer>) {
        if secrets.contains(place) { return string(JSONSchema.redacted) }
        switch view.kind {
        case .object:
            beginObject()
            let names = view.members.map { $0.key.string ?? "" }
            let last = Dictionary(zip(names.map { Characters(of: $0) }, names.indices)) { $1 }
            for (index, member) in view.members.enumerated() where last[Characters(of: names[index])] == index {
                key(names[index])
                copy(member.value, at: place.appending(names[index]), without: secrets)
            }
            endObject()
        case .array:
            beginArray()
            for (index, element) in view.elements.enumerated() {
                copy(element, at: place.appending(String(index)), without: secrets)
            }
            endArray()
        case .string, .number, .bool, .null:
            raw(view.raw)
        }
    }
}
