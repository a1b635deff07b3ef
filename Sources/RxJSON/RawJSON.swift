#if canImport(Glibc)
    internal import Glibc
#else
    internal import Musl
#endif

/// The bytes of one valid JSON value, as written by its author.
///
/// Values are equal if their bytes are.
public struct RawJSON: Sendable, Hashable, CustomStringConvertible {
    /// The UTF-8 text of the value.
    public let utf8: [UInt8]

    /// Wraps `utf8` unchecked. It must be one valid JSON value.
    @inlinable
    public init(unchecked utf8: [UInt8]) {
        self.utf8 = utf8
    }

    private init(literal: StaticString) {
        utf8 = Array(UnsafeBufferPointer(start: literal.utf8Start, count: literal.utf8CodeUnitCount))
    }

    /// The text `null`.
    public static let null = RawJSON(literal: "null")
    /// The text `true`.
    public static let `true` = RawJSON(literal: "true")
    /// The text `false`.
    public static let `false` = RawJSON(literal: "false")
    /// The text `{}`.
    public static let emptyObject = RawJSON(literal: "{}")
    /// The text `[]`.
    public static let emptyArray = RawJSON(literal: "[]")

    /// Whether the text has more than one line.
    public var hasNewline: Bool {
        utf8.withUnsafeBytes { bytes in bytes.baseAddress.map { memchr($0, 0x0A, bytes.count) != nil } ?? false }
    }

    /// The text of the value.
    public var text: String { String(decoding: utf8, as: UTF8.self) }
    /// The text of the value.
    public var description: String { text }

    /// Returns the value without white space outside strings, and therefore on one line.
    public func minified() -> RawJSON {
        var minified: [UInt8] = []
        minified.reserveCapacity(utf8.count)
        var inString = false
        var escaped = false
        for byte in utf8 {
            if inString {
                inString = escaped || byte != UInt8(ascii: "\"")
                escaped = !escaped && byte == UInt8(ascii: "\\")
            } else if isWhiteSpace(byte) {
                continue
            } else {
                inString = byte == UInt8(ascii: "\"")
            }
            minified.append(byte)
        }
        return RawJSON(unchecked: minified)
    }
}
