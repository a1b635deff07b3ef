internal import RxJSON

/// A member of an input in a few words, from its schema.
enum SchemaText {
    /// The most values of an `enum` that are printed.
    private static let mostValues = 8

    /// `from:=<integer, at least 1>`, as a pair of the command line.
    static func pair(_ key: String, _ schema: JSONValue) -> String {
        "\(key)\(isText(schema) ? "=" : ":=")<\(description(schema))>"
    }

    private static func isText(_ schema: JSONValue) -> Bool {
        if let values = schema["enum"]?.array { return values.allSatisfy { $0.string != nil } }
        return schema["type"]?.string == "string" || schema["const"]?.string != nil
    }

    /// `integer, at least 1`: the values that it allows, in a few words.
    static func description(_ schema: JSONValue) -> String {
        if let constant = schema["const"] { return text(constant) }
        if let values = schema["enum"]?.array {
            let shown = values.prefix(mostValues).map(text)
            return shown.joined(separator: " or ") + (values.count > shown.count ? " or others" : "")
        }
        let types = schema["type"]?.string.map { [$0] } ?? (schema["type"]?.array ?? []).compactMap(\.string)
        let type = types.map { $0 == "boolean" ? "true or false" : $0 }.joined(separator: " or ")
        let bounds = limits.compactMap { key, words in schema[key].map { "\(words) \(text($0))" } }
        return ([type.isEmpty ? "JSON" : type] + bounds).joined(separator: ", ")
    }

    private static let limits = [
        ("minimum", "at least"), ("exclusiveMinimum", "more than"), ("maximum", "at most"),
        ("exclusiveMaximum", "less than"), ("format", "a"), ("pattern", "matching"),
    ]

    /// A text without its quotes, as it is written in a pair.
    private static func text(_ value: JSONValue) -> String { value.string ?? RawJSON(value).text }
}
