extension JSONWriter {
    /// Writes a value as it is, but joins a multi-line value into one line.
    public mutating func raw(_ value: RawJSON) {
        if value.hasNewline { return raw(value.minified()) }
        separate()
        bytes.append(contentsOf: value.utf8)
        valueEnded()
    }

    /// Writes a tree.
    public mutating func value(_ value: JSONValue) {
        switch value {
        case .null: null()
        case .bool(let value): bool(value)
        case .number(let number):
            separate()
            bytes.append(contentsOf: number.text.utf8)
            valueEnded()
        case .string(let value): string(value)
        case .array(let elements):
            beginArray()
            for element in elements { self.value(element) }
            endArray()
        case .object(let members):
            beginObject()
            for member in members {
                key(member.key)
                self.value(member.value)
            }
            endObject()
        }
    }
}
