/// The reason why a text is not a patch or a patch cannot be applied to a value.
public struct JSONPatchError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of fault.
    public enum Kind: Sendable, Hashable {
        /// The value is not an array of operations of RFC 6902.
        case malformed
        /// A path leads to no value, or its parent is neither an object nor an array.
        case missing
        /// The token is not an array index, or, for an addition, the position after the last element.
        case index
        /// A `test` operation found another value.
        case test
        /// The operation would move a value into itself or remove the whole value.
        case refused
    }

    /// The kind of fault.
    public let kind: Kind
    /// The index of the failed operation, from 0; nil if the value contains no operations.
    public let operation: Int?
    /// A short description on one line.
    public let message: String

    init(_ kind: Kind, operation: Int? = nil, _ message: String) {
        self.kind = kind
        self.operation = operation
        self.message = message
    }

    func of(operation: Int) -> JSONPatchError {
        JSONPatchError(kind, operation: operation, message)
    }

    /// The message with the index of the operation, if any.
    public var description: String {
        guard let operation else { return message }
        return "operation \(operation): \(message)"
    }
}
