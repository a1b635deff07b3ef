/// A number as written. `1`, `1.0`, and `1e0` are three different numbers with the same value.
public struct JSONNumber: Sendable, Hashable, CustomStringConvertible {
    /// The JSON text of the number.
    public let text: String

    init(unchecked text: String) {
        self.text = text
    }

    /// The decimal text of `value`.
    public init(_ value: Int) {
        text = String(value)
    }

    /// The decimal text of `value`.
    public init(_ value: UInt64) {
        text = String(value)
    }

    /// The shortest text that parses as the same double; nil for infinities and NaN, which JSON cannot represent.
    public init?(_ value: Double) {
        guard value.isFinite else { return nil }
        text = value.description
    }

    /// The value if it is exactly an `Int`, in any notation; otherwise nil.
    public var int: Int? {
        var text = text
        return text.withUTF8 { Self.int(UnsafeRawBufferPointer($0)) }
    }

    /// The value if it is exactly a `UInt64`; otherwise nil.
    public var uint: UInt64? {
        UInt64(text) ?? int.flatMap { UInt64(exactly: $0) }
    }

    /// The nearest double.
    public var double: Double { Double(text) ?? .nan }

    /// The JSON text of the number.
    public var description: String { text }

    /// Parses a valid number. Returns nil unless it is exactly an `Int`.
    static func int(_ text: UnsafeRawBufferPointer) -> Int? {
        let negative = text.first == UInt8(ascii: "-")
        var value = 0
        for byte in text.dropFirst(negative ? 1 : 0) {
            let digit = Int(byte) - 0x30
            guard digit >= 0, digit < 10 else {
                // The number has a fraction or an exponent.
                return Double(String(decoding: text, as: UTF8.self)).flatMap(int)
            }
            let (product, tooLarge) = value.multipliedReportingOverflow(by: 10)
            let (sum, tooLargeNow) = product.addingReportingOverflow(negative ? -digit : digit)
            if tooLarge || tooLargeNow { return nil }
            value = sum
        }
        return value
    }

    private static func int(_ value: Double) -> Int? {
        // From 2^53 on, a double also represents neighboring integers. (`Int(exactly:)` would need the math library.)
        guard value.magnitude < 0x1p53, Double(Int(value)) == value else { return nil }
        return Int(value)
    }
}
