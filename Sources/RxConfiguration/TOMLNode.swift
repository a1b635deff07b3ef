/// A place in a file.
struct SourcePlace: Sendable, Hashable {
    let file: String
    /// From 1.
    let line: Int
}

/// One value of a TOML file, with its place.
struct TOMLNode {
    let place: SourcePlace
    let content: Content

    indirect enum Content {
        case string(String)
        case integer(Int)
        case float(Double)
        case boolean(Bool)
        case array([TOMLNode])
        case table([String: TOMLNode])
        /// A date or a time, which no key accepts; the payload is its name in messages.
        case other(String)
    }

    /// The type's name in messages.
    var kind: String {
        switch content {
        case .string: "a string"
        case .integer: "an integer"
        case .float: "a float"
        case .boolean: "a boolean"
        case .array: "an array"
        case .table: "a table"
        case .other(let kind): kind
        }
    }
}
