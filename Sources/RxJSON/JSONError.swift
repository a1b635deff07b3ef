/// The reason for refusing a text.
public struct JSONError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of fault.
    public enum Kind: Sendable, Hashable {
        /// The text is empty or only white space.
        case empty
        /// The text does not match the grammar of RFC 8259.
        case syntax
        /// The text is not valid UTF-8.
        case encoding
        /// The nesting exceeds the depth limit.
        case depth
        /// The text exceeds the size limit, or memory is exhausted.
        case size
        /// An integer exceeds 64 bits or a number exceeds the range of a double. The rest of the text is valid.
        case number(path: JSONPointer)
        /// The text is not a JSON Pointer.
        case pointer
    }

    /// The kind of fault.
    public let kind: Kind
    /// The byte offset of the fault in the text, if known.
    public let offset: Int?
    /// A short description on one line.
    public let message: String

    /// Creates an error. `offset` is in bytes.
    public init(_ kind: Kind, at offset: Int? = nil, _ message: String) {
        self.kind = kind
        self.offset = offset
        self.message = message
    }

    /// The message and, if known, the offset.
    public var description: String {
        guard let offset else { return message }
        return "\(message) (at byte \(offset))"
    }
}
