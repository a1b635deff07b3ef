public import RxJSON

/// A type of the protocol with a name and a documentation of its own.
public struct NamedType: Sendable {
    /// How its values look.
    public enum Shape: Sendable {
        /// A string that matches a regular expression.
        case text(pattern: String)
        /// An object with these fields. An open one may have others, which differ from case to case.
        case record([Field], isOpen: Bool)
        /// A value of one of these types.
        case union([ValueType])
    }

    /// One member of a record.
    public struct Field: Sendable {
        /// The member's name.
        public let name: String
        /// The member's value.
        public let type: ValueType
        /// Whether every record has it.
        public let required: Bool
        /// One or two sentences on its meaning, and when it is absent or null.
        public let summary: String

        /// A field that every record has.
        static func always(_ name: String, _ type: ValueType, _ summary: String) -> Field {
            Field(name: name, type: type, required: true, summary: summary)
        }

        /// A field that may be absent; the summary states when.
        static func maybe(_ name: String, _ type: ValueType, _ summary: String) -> Field {
            Field(name: name, type: type, required: false, summary: summary)
        }
    }

    /// The name under which the document's components have it.
    public let name: String
    /// One or two sentences.
    public let summary: String
    /// How its values look.
    public let shape: Shape

    init(_ name: String, _ summary: String, _ shape: Shape) {
        self.name = name
        self.summary = summary
        self.shape = shape
    }

    init(_ name: String, _ summary: String, fields: [Field], isOpen: Bool = false) {
        self.init(name, summary, .record(fields, isOpen: isOpen))
    }
}

extension NamedType {
    /// The JSON Schema (draft 7) of the type.
    ///
    /// - Parameter closed: whether records may have no fields but those described. The published schemas are not
    ///   closed, because clients ignore fields that they do not know; tests use closed ones, to find what is not
    ///   described.
    public func schema(closed: Bool = false) -> JSONValue {
        switch shape {
        case .text(let pattern):
            return ["description": .string(summary), "type": "string", "pattern": .string(pattern)]
        case .union(let types):
            return ["description": .string(summary), "anyOf": .array(types.map(\.schema))]
        case .record(let fields, let isOpen):
            var properties = JSONObject()
            for field in fields {
                var schema: JSONObject = ["description": .string(field.summary)]
                // Draft 7 ignores what stands beside a `$ref`.
                if case .named = field.type {
                    schema["allOf"] = [field.type.schema]
                } else {
                    for member in field.type.schema.object ?? [:] { schema[member.key] = member.value }
                }
                properties[field.name] = .object(schema)
            }
            var schema: JSONObject = [
                "description": .string(summary), "type": "object",
                "required": .array(fields.filter(\.required).map { .string($0.name) }),
                "properties": .object(properties),
            ]
            if closed, !isOpen { schema["additionalProperties"] = false }
            return .object(schema)
        }
    }
}
