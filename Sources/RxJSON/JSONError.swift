/// Why a text was refused.
public struct JSONError: Error, Sendable, Hashable, CustomStringConvertible {
    public enum Kind: Sendable, Hashable {
        /// No value at all: nothing, or only white space.
        case empty
        /// Not the grammar of RFC 8259.
        case syntax
        /// Not UTF-8.
        case encoding
        /// Nested deeper than the limit.
        case depth
        /// Longer than the limit, or memory is short.
        case size
        /// An integer beyond 64 bits or a number beyond a double. The rest of the text is valid.
        case number(path: JSONPointer)
        /// A text that is no JSON Pointer.
        case pointer
    }

    public let kind: Kind
    /// Byte offset into the text, where one can be told.
    public let offset: Int?
    /// A few words, on one line.
    public let message: String

    public init(_ kind: Kind, at offset: Int? = nil, _ message: String) {
        self.kind = kind
        self.offset = offset
        self.message = message
    }

    public var description: String {
        guard let offset else { return message }
        return "\(message) (at byte \(offset))"
    }
}
