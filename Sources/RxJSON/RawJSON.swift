internal import Synchronization

#if canImport(Glibc)
    internal import Glibc
#else
    internal import Musl
#endif

/// One JSON value, known to be valid, as its author wrote it.
///
/// Equal means the same bytes.
public struct RawJSON: Sendable, Hashable, CustomStringConvertible {
    public let utf8: [UInt8]

    /// Takes `utf8` at its word: it must be one valid JSON value.
    @inlinable
    public init(unchecked utf8: [UInt8]) {
        self.utf8 = utf8
    }

    /// Checks a copy of `utf8`; white space around the value is left out.
    public init(validating utf8: some Collection<UInt8>, limits: JSONLimits = JSONLimits()) throws(JSONError) {
        self = try JSONReader(limits: limits).read(copying: utf8) { $0.rawJSON }
    }

    public init(validating text: String, limits: JSONLimits = JSONLimits()) throws(JSONError) {
        try self.init(validating: text.utf8, limits: limits)
    }

    /// The value on one line.
    public init(_ value: JSONValue) {
        var writer = JSONWriter()
        writer.value(value)
        utf8 = writer.bytes
    }

    private init(literal: StaticString) {
        utf8 = Array(UnsafeBufferPointer(start: literal.utf8Start, count: literal.utf8CodeUnitCount))
    }

    public static let null = RawJSON(literal: "null")
    public static let `true` = RawJSON(literal: "true")
    public static let `false` = RawJSON(literal: "false")
    public static let emptyObject = RawJSON(literal: "{}")
    public static let emptyArray = RawJSON(literal: "[]")

    /// Whether it is written over several lines.
    public var hasNewline: Bool {
        utf8.withUnsafeBytes { bytes in bytes.baseAddress.map { memchr($0, 0x0A, bytes.count) != nil } ?? false }
    }

    public var text: String { String(decoding: utf8, as: UTF8.self) }
    public var description: String { text }

    /// The whole value as a tree; null if the bytes were not valid after all.
    public func value() -> JSONValue {
        look { $0.value() } ?? .null
    }

    /// The value that `pointer` points at, as written, if there is one.
    public func value(at pointer: JSONPointer) -> RawJSON? {
        look { $0.value(at: pointer)?.rawJSON } ?? nil
    }

    /// The same without white space outside strings, and so on one line.
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

    /// What was let in once, under whatever limits, is let in again; a number out of range too.
    private func look<Result>(_ body: (JSONView) -> Result) -> Result? {
        let reader = SpareReader.take() ?? JSONReader(limits: SpareReader.limits)
        defer { if utf8.count <= SpareReader.bytes { SpareReader.put(reader) } }
        return try? reader.read(copying: utf8, anyNumber: true, body)
    }
}

/// A reader that is used again: to make one takes longer than to read a small value.
private enum SpareReader {
    static let limits = JSONLimits(bytes: .max, depth: JSONLimits.greatestDepth)
    /// One that has read more than this keeps too much memory to lie about.
    static let bytes = 64 << 10
    /// The address of one that is retained; 0 while it is in use.
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
    /// Reads a copy of `utf8` that has the padding.
    func read<Result>(
        copying utf8: some Collection<UInt8>, anyNumber: Bool = false, _ body: (JSONView) -> Result
    ) throws(JSONError) -> Result {
        let count = utf8.count
        // Told before the copy, not after.
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
