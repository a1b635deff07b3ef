public import RxJSON

/// The type of a value on the wire. Both its JSON Schema and its text in the documentation are made from it.
public indirect enum ValueType: Sendable {
    /// Any JSON value.
    case any
    /// Only null.
    case null
    /// True or false.
    case boolean
    /// A whole number within these bounds, if there are any.
    case integer(minimum: Int?, maximum: Int?)
    /// Any number.
    case number
    /// Any string.
    case string
    /// One of these strings.
    case word([String])
    /// An array of such values.
    case array(of: ValueType)
    /// An object with such values under any names; `key` states what the names are.
    case map(key: String, of: ValueType)
    /// A value of any of these types.
    case either([ValueType])
    /// A type with a name of its own.
    case named(NamedType)

    /// A whole number.
    public static let integer = ValueType.integer(minimum: nil, maximum: nil)
    /// A whole number from 0 on.
    public static let count = ValueType.integer(minimum: 0, maximum: nil)

    /// The type's value, or null.
    public static func orNull(_ type: ValueType) -> ValueType { .either([type, .null]) }
}

extension ValueType {
    /// The JSON Schema (draft 7) of the type. Named types are references into the document's components.
    public var schema: JSONValue {
        switch self {
        case .any: return [:]
        case .null: return ["type": "null"]
        case .boolean: return ["type": "boolean"]
        case .integer(let minimum, let maximum):
            var schema: JSONObject = ["type": "integer"]
            if let minimum { schema["minimum"] = JSONValue(minimum) }
            if let maximum { schema["maximum"] = JSONValue(maximum) }
            return .object(schema)
        case .number: return ["type": "number"]
        case .string: return ["type": "string"]
        case .word(let words): return ["enum": .array(words.map { .string($0) })]
        case .array(let type): return ["type": "array", "items": type.schema]
        case .map(_, let type): return ["type": "object", "additionalProperties": type.schema]
        case .either(let types): return ["anyOf": .array(types.map(\.schema))]
        case .named(let type): return ["$ref": .string("#/components/schemas/\(type.name)")]
        }
    }
}
