/// Why a text is no patch, or a patch does not fit a value.
public struct JSONPatchError: Error, Sendable, Hashable, CustomStringConvertible {
    public enum Kind: Sendable, Hashable {
        /// Not an array of operations of RFC 6902.
        case malformed
        /// What a path leads to is not there, or what should hold it is neither an object nor an array.
        case missing
        /// Not an index of an array's element, or of the place behind the last one where something can be added.
        case index
        /// The value is not the one that was tested for.
        case test
        /// A value would be moved into itself, or the whole of it be removed.
        case refused
    }

    public let kind: Kind
    /// Which one, from 0; nil if there are no operations at all.
    public let operation: Int?
    /// A few words, on one line.
    public let message: String

    init(_ kind: Kind, operation: Int? = nil, _ message: String) {
        self.kind = kind
        self.operation = operation
        self.message = message
    }

    func of(operation: Int) -> JSONPatchError {
        JSONPatchError(kind, operation: operation, message)
    }

    public var description: String {
        guard let operation else { return message }
        return "operation \(operation): \(message)"
    }
}
