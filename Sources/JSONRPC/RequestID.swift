internal import RxJSON

/// The id that links a response to its request: the raw JSON text of a string, a number, or null.
///
/// Ids are equal if their texts are, so `1` and `1.0` differ, as they do on the wire.
public struct RequestID: Sendable, Hashable, CustomStringConvertible {
    /// The most bytes of the text of an id that is received, since it is kept until the request is answered.
    public static let mostBytes = 256

    /// The most bytes stored inline. Nearly every id fits; creating a string for each would cost as much as parsing the
    /// rest of a request.
    private static let shortLength = 15

    /// The inline text, little endian, with its length in the highest byte. All zero if the text is longer.
    private let short: (low: UInt64, high: UInt64)
    /// The text if it does not fit inline; otherwise nil.
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

    /// Creates an id from `text` without checking it. It must be the JSON text of a string, a number, or null.
    public init(unchecked text: String) {
        var text = text
        self = text.withUTF8 { RequestID(UnsafeRawBufferPointer($0)) }
    }

    /// The id of a number.
    public init(_ number: Int) {
        self.init(unchecked: String(number))
    }

    /// The id of a string, escaped as JSON requires.
    public init(_ string: String) {
        var writer = JSONWriter()
        writer.string(string)
        self = writer.bytes.withUnsafeBytes { RequestID($0) }
    }

    /// The id of a JSON value, or nil if the value cannot be an id, or is longer than `mostBytes`.
    init?(_ value: JSONView) {
        switch value.kind {
        case .string, .number, .null:
            let text = value.raw
            guard text.count <= RequestID.mostBytes else { return nil }
            self.init(text)
        case .object, .array, .bool: return nil
        }
    }

    /// Why a JSON value cannot be an id.
    static func fault(in value: JSONView) -> String {
        value.raw.count > mostBytes ? "must have at most \(mostBytes) bytes" : "must be a string, a number or null"
    }

    /// The id `null`, which answers a request whose id could not be read.
    public static let null = RequestID(unchecked: "null")

    /// The JSON text of the id.
    public var text: String { withUTF8 { String(decoding: $0, as: UTF8.self) } }
    /// The JSON text of the id.
    public var description: String { text }

    /// Calls `body` with the bytes of the text, which are valid only during the call.
    public func withUTF8<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        if let long { return long.withUnsafeBytes(body) }
        let words = (short.low.littleEndian, short.high.littleEndian)
        return withUnsafeBytes(of: words) { body(UnsafeRawBufferPointer(rebasing: $0[..<Int(short.high >> 56)])) }
    }

    /// Whether both ids have the same text.
    public static func == (left: RequestID, right: RequestID) -> Bool {
        left.short == right.short && left.long == right.long
    }

    /// Hashes the text.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(short.low)
        hasher.combine(short.high)
        hasher.combine(long)
    }
}
