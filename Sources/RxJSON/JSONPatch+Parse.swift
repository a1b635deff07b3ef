extension JSONPatch {
    /// Parses a patch. Ignores unknown members of operations.
    ///
    /// - Throws: `.malformed` if `value` is not an array of operations of RFC 6902.
    public init(_ value: JSONValue) throws(JSONPatchError) {
        guard case .array(let elements) = value else {
            throw JSONPatchError(.malformed, "a patch is an array of operations")
        }
        operations = []
        operations.reserveCapacity(elements.count)
        for (index, element) in elements.enumerated() {
            do {
                operations.append(try Operation(element))
            } catch {
                throw error.of(operation: index)
            }
        }
    }

    /// Parses a patch. Ignores unknown members of operations.
    ///
    /// - Throws: `.malformed` if the value is not an array of operations of RFC 6902.
    public init(_ view: JSONView) throws(JSONPatchError) {
        try self.init(view.value())
    }

    /// Parses a patch. Ignores unknown members of operations.
    ///
    /// - Throws: `.malformed` if the value is not an array of operations of RFC 6902.
    public init(_ raw: RawJSON) throws(JSONPatchError) {
        try self.init(raw.value())
    }
}

extension JSONPatch.Operation {
    fileprivate init(_ value: JSONValue) throws(JSONPatchError) {
        guard case .object(let members) = value else { throw JSONPatchError(.malformed, "must be an object") }
        let name = try text(of: "op", in: members)
        let path = try pointer(of: "path", in: members)
        switch name {
        case "add": self = .add(path, try operand(in: members))
        case "remove": self = .remove(path)
        case "replace": self = .replace(path, try operand(in: members))
        case "move": self = .move(from: try pointer(of: "from", in: members), to: path)
        case "copy": self = .copy(from: try pointer(of: "from", in: members), to: path)
        case "test": self = .test(path, try operand(in: members))
        case _:
            throw JSONPatchError(
                .malformed, "\"op\" must be add, remove, replace, move, copy or test, not \"\(name)\"")
        }
    }
}

private func text(of key: String, in members: JSONObject) throws(JSONPatchError) -> String {
    guard let value = members[key] else { throw JSONPatchError(.malformed, "\"\(key)\" is missing") }
    guard case .string(let text) = value else { throw JSONPatchError(.malformed, "\"\(key)\" must be a string") }
    return text
}

private func pointer(of key: String, in members: JSONObject) throws(JSONPatchError) -> JSONPointer {
    let text = try text(of: key, in: members)
    do {
        return try JSONPointer(text)
    } catch {
        throw JSONPatchError(.malformed, "\"\(key)\" is not a valid JSON Pointer: \(error)")
    }
}

private func operand(in members: JSONObject) throws(JSONPatchError) -> JSONValue {
    guard let value = members["value"] else { throw JSONPatchError(.malformed, "\"value\" is missing") }
    return value
}
