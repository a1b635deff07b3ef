/// A JSON Patch as defined by RFC 6902: operations that change one JSON value into another.
public struct JSONPatch: Sendable, Hashable {
    /// One operation of RFC 6902.
    public enum Operation: Sendable, Hashable {
        /// Adds a member, or inserts an element before the index.
        case add(JSONPointer, JSONValue)
        /// Removes an existing value.
        case remove(JSONPointer)
        /// Replaces an existing value.
        case replace(JSONPointer, JSONValue)
        /// Removes the value at `from` and adds it at `to`.
        case move(from: JSONPointer, to: JSONPointer)
        /// Adds a copy of the value at `from` at `to`.
        case copy(from: JSONPointer, to: JSONPointer)
        /// Fails unless the value at the location equals this one.
        case test(JSONPointer, JSONValue)
    }

    /// The operations in the order of application.
    public var operations: [Operation]

    /// Creates a patch of `operations`.
    public init(_ operations: [Operation] = []) {
        self.operations = operations
    }

    /// Whether there are no operations.
    public var isEmpty: Bool { operations.isEmpty }

    /// Writes the patch as a JSON array of operations.
    public func write(to writer: inout JSONWriter) {
        writer.beginArray()
        for operation in operations { operation.write(to: &writer) }
        writer.endArray()
    }
}

extension JSONPatch.Operation {
    fileprivate func write(to writer: inout JSONWriter) {
        func write(_ name: String, _ path: JSONPointer, from: JSONPointer? = nil, _ value: JSONValue? = nil) {
            writer.beginObject()
            writer.field("op", name)
            if let from { writer.field("from", from.description) }
            writer.field("path", path.description)
            if let value { writer.field("value", value) }
            writer.endObject()
        }
        switch self {
        case .add(let path, let value): write("add", path, value)
        case .remove(let path): write("remove", path)
        case .replace(let path, let value): write("replace", path, value)
        case .move(let from, let path): write("move", path, from: from)
        case .copy(let from, let path): write("copy", path, from: from)
        case .test(let path, let value): write("test", path, value)
        }
    }
}
