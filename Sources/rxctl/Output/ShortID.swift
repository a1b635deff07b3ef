/// An execution's id in a table: its last 8 characters, which commands accept in its place.
enum ShortID {
    static let length = 8

    static func of(_ id: String) -> String { String(id.suffix(length)) }

    /// What `--before` takes in place of an id: digits alone would be a revision there.
    static func position(_ id: String) -> String { of(id).allSatisfy(\.isNumber) ? id : of(id) }
}
