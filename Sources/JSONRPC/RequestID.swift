internal import RxJSON

/// What ties a response to its request: the raw JSON text of a string, a number or null.
///
/// Equal means the same text, so `1` and `1.0` are two ids, as they are on the wire.
public struct RequestID: Sendable, Hashable, CustomStringConvertible {
    public let text: String

    /// Takes `text` at its word: the JSON text of a string, a number or null.
    @inlinable
    public init(unchecked text: String) {
        self.text = text
    }

    public init(_ number: Int) {
        text = String(number)
    }

    public init(_ string: String) {
        var writer = JSONWriter()
        writer.string(string)
        text = String(decoding: writer.bytes, as: UTF8.self)
    }

    /// Nil if the value cannot be an id.
    init?(_ value: JSONView) {
        switch value.kind {
        case .string, .number, .null: text = String(decoding: value.raw, as: UTF8.self)
        case .object, .array, .bool: return nil
        }
    }

    /// The id of an answer to what had no readable id.
    public static let null = RequestID(unchecked: "null")

    public var description: String { text }
}
