internal import Synchronization

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

    /// Validates and copies `utf8` without surrounding white space.
    ///
    /// - Throws: the first fault of the text.
    public init(validating utf8: some Collection<UInt8>, limits: JSONLimits = JSONLimits()) throws(JSONError) {
        self = try JSONReader(limits: limits).read(copying: utf8) { $0.rawJSON }
    }

    /// Validates and copies `text` without surrounding white space.
    ///
    /// - Throws: the first fault of the text.
    public init(validating text: String, limits: JSONLimits = JSONLimits()) throws(JSONError) {
        try self.init(validating: text.utf8, limits: limits)
    }

    /// Writes `value` on one line.
    public init(_ value: JSONValue) {
        var writer = JSONWriter()
        writer.value(value)
        utf8 = writer.bytes
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

    /// Returns the value as a tree; null if the bytes are not valid.
    public func value() -> JSONValue {
        look { $0.value() } ?? .null
    }

    /// Returns the text of the value at `pointer`, or nil if there is none.
    public func value(at pointer: JSONPointer) -> RawJSON? {
        look { $0.value(at: pointer)?.rawJSON } ?? nil
    }

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

    /// Calls `body` with a view of the value. Accepts everything that was accepted before, regardless of limits and
    /// including out-of-range numbers.
    private func look<Result>(_ body: (JSONView) -> Result) -> Result? {
        let reader = SpareReader.take() ?? JSONReader(limits: SpareReader.limits)
        defer { if utf8.count <= SpareReader.bytes { SpareReader.put(reader) } }
        return try? reader.read(copying: utf8, anyNumber: true, body)
    }
}

/// A cached reader, because creating one takes longer than reading a small value.
private enum SpareReader {
    static let limits = JSONLimits(bytes: .max, depth: JSONLimits.greatestDepth)
    /// A reader that has read more than this is not cached, because it holds too much memory.
    static let bytes = 64 << 10
    /// The address of a retained reader; 0 while it is in use.
    private static let slot = Atomic<UInt>(0)

    static func take() -> JSONReader? {
        UnsafeRawPointer(bitPattern: slot.exchange(0, ordering: .acquiring)).map {
            Unmanaged.fromOpaque($0).takeRetainedValue()
        }
    }

    static func put(_ reader: JSONReader) {
        let spare = Unmanaged.passRetained(reader)
        let address = UInt(bitPattern: spare.toOpaque())
        if !slot.compareExchange(expected: 0, desired: address, ordering: .releasing).exchanged { spare.release() }
    }
}

extension JSONReader {
    /// Reads a padded copy of `utf8`.
    func read<Result>(
        copying utf8: some Collection<UInt8>, anyNumber: Bool = false, _ body: (JSONView) -> Result
    ) throws(JSONError) -> Result {
        let count = utf8.count
        // Refuse before copying.
        guard count <= limits.bytes else { throw JSONError(.size, "longer than \(limits.bytes) bytes") }
        let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: count + Self.padding, alignment: 1)
        defer { copy.deallocate() }
        copy.copyBytes(from: utf8)
        var outOfRange: JSONError?
        let view = try read(UnsafeRawBufferPointer(rebasing: copy[..<count]), outOfRange: &outOfRange)
        if let outOfRange, !anyNumber { throw outOfRange }
        return withExtendedLifetime(self) { body(view) }
    }
}
