internal import RxJSON

/// What ties a response to its request: the raw JSON text of a string, a number or null.
///
/// Equal means the same text, so `1` and `1.0` are two ids, as they are on the wire.
public struct RequestID: Sendable, Hashable, CustomStringConvertible {
    /// Bytes that are kept in the id itself: nearly every id fits, and to make a string of each costs as much as to read
    /// the rest of a request.
    private static let shortLength = 15

    /// Little endian; the highest byte is the length. All zero if the text is longer.
    private let short: (low: UInt64, high: UInt64)
    /// Nil if it is not.
    private let long: [UInt8]?

    private init(_ utf8: UnsafeRawBufferPointer) {
        guard utf8.count <= RequestID.shortLength else {
            short = (0, 0)
            long = Array(utf8)
            return
        }
        var words: (UInt64, UInt64) = (0, 0)
        withUnsafeMutableBytes(of: &words) { $0.copyMemory(from: utf8) }
        short = (UInt64(littleEndian: words.0), UInt64(littleEndian: words.1) | UInt64(utf8.count) << 56)
        long = nil
    }

    /// Takes `text` at its word: the JSON text of a string, a number or null.
    public init(unchecked text: String) {
        var text = text
        self = text.withUTF8 { RequestID(UnsafeRawBufferPointer($0)) }
    }

    public init(_ number: Int) {
        self.init(unchecked: String(number))
    }

    public init(_ string: String) {
        var writer = JSONWriter()
        writer.string(string)
        self = writer.bytes.withUnsafeBytes { RequestID($0) }
    }

    /// Nil if the value cannot be an id.
    init?(_ value: JSONView) {
        switch value.kind {
        case .string, .number, .null: self.init(value.raw)
        case .object, .array, .bool: return nil
        }
    }

    /// The id of an answer to what had no readable id.
    public static let null = RequestID(unchecked: "null")

    public var text: String { withUTF8 { String(decoding: $0, as: UTF8.self) } }
    public var description: String { text }

    /// The bytes of the text, for as long as `body` runs.
    public func withUTF8<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        if let long { return long.withUnsafeBytes(body) }
        let words = (short.low.littleEndian, short.high.littleEndian)
        return withUnsafeBytes(of: words) { body(UnsafeRawBufferPointer(rebasing: $0[..<Int(short.high >> 56)])) }
    }

    public static func == (left: RequestID, right: RequestID) -> Bool {
        left.short == right.short && left.long == right.long
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(short.low)
        hasher.combine(short.high)
        hasher.combine(long)
    }
}
