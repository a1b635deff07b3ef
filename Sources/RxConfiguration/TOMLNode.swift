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
        /// A date, a time, or both.
        case time(TOMLTime)
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
        case .time(let time): time.kind.rawValue
        }
    }
}

/// A date, a time, or a date-time.
struct TOMLTime: Hashable {
    /// The raw value is the type's name in messages.
    enum Kind: String {
        case date = "a date"
        case time = "a time"
        case dateTime = "a date-time"
    }

    let kind: Kind
    /// In the form of RFC 3339.
    let text: String
}
