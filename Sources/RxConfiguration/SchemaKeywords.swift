internal import RxJSON
internal import RxStreams

/// The keywords of a schema, to find those that mean nothing and so check nothing.
enum SchemaKeywords {
    /// A keyword that means nothing.
    struct Unknown: Equatable {
        /// A JSON Pointer into the schema.
        let path: String
        let message: String
    }

    private static let withSchema: Set = [
        "additionalItems", "additionalProperties", "contains", "else", "if", "items", "not", "propertyNames", "then",
    ]
    private static let withSchemas: Set = ["allOf", "anyOf", "items", "oneOf"]
    private static let withNamedSchemas: Set = ["definitions", "dependencies", "patternProperties", "properties"]
    private static let others: Set = [
        "$comment", "$id", "$ref", "$schema", "const", "contentEncoding", "contentMediaType", "default",
        "description", "enum", "examples", "exclusiveMaximum", "exclusiveMinimum", "format", "maximum", "maxItems",
        "maxLength", "maxProperties", "minimum", "minItems", "minLength", "minProperties", "multipleOf", "pattern",
        "readOnly", "required", "title", "type", "uniqueItems", "writeOnly",
    ]
    private static let all = withSchema.union(withSchemas).union(withNamedSchemas).union(others)

    /// The unknown keywords of a schema and its parts. A keyword that begins with `x-` is an author's own.
    static func unknown(in schema: JSONValue) -> [Unknown] { unknown(in: schema, at: []) }

    private static func unknown(in schema: JSONValue, at path: [String]) -> [Unknown] {
        var found: [Unknown] = []
        for (keyword, value) in (schema.object ?? [:]).map({ ($0.key, $0.value) }) {
            let place = path + [keyword]
            if withSchema.contains(keyword), value.object != nil { found += unknown(in: value, at: place) }
            if withSchemas.contains(keyword) {
                for (index, part) in (value.array ?? []).enumerated() {
                    found += unknown(in: part, at: place + ["\(index)"])
                }
            }
            if withNamedSchemas.contains(keyword) {
                for member in value.object ?? [:] { found += unknown(in: member.value, at: place + [member.key]) }
            }
            guard !all.contains(keyword), !keyword.hasPrefix("x-") else { continue }
            let meant = nearest(to: keyword, among: all.sorted()).map { "; did you mean \"\($0)\"?" } ?? ""
            found.append(
                Unknown(
                    path: JSONPointer(tokens: place).description,
                    message: "is not a keyword of JSON Schema, and checks nothing" + meant))
        }
        return found
    }
}
