internal import RxJSON

/// Schemas used more than once.
enum Schema {
    static let string: JSONValue = ["type": "string"]
    static let boolean: JSONValue = ["type": "boolean"]
    static let object: JSONValue = ["type": "object"]
    static let any: JSONValue = [:]
    static let strings: JSONValue = ["type": "array", "items": ["type": "string"]]
    static let names: JSONValue = ["oneOf": [["type": "string"], ["type": "array", "items": ["type": "string"]]]]
    static let start: JSONValue = [
        "oneOf": [
            ["enum": ["now", "last", "execution"]],
            ["type": "object", "required": ["cursor"], "properties": ["cursor": ["type": "string"]]],
            ["type": "object", "required": ["execution"], "properties": ["execution": ["type": "string"]]],
        ]
    ]
    static let duration: JSONValue = ["type": "string", "pattern": "^([0-9]+(d|h|m|s|ms))+$"]
}
