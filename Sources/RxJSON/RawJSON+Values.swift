internal import Synchronization

// Conversions between the bytes of a value, a view, and a tree.

extension JSONView {
    /// An owned copy of `raw`.
    public var rawJSON: RawJSON {
        RawJSON(unchecked: Array(raw))
    }
}

extension RawJSON {
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
        self.init(unchecked: writer.bytes)
    }

    /// Returns the value as a tree; null if the bytes are not valid.
    public func value() -> JSONValue {
        withView { $0.value() } ?? .null
    }

    /// Returns the text of the value at `pointer`, or nil if there is none.
    public func value(at pointer: JSONPointer) -> RawJSON? {
        withView { $0.value(at: pointer)?.rawJSON } ?? nil
    }

    /// Whether the bytes are a JSON value, regardless of limits.
    package var isValid: Bool { withView { _ in true } ?? false }

    /// Calls `body` with a view of the value. Accepts everything that was accepted before, regardless of limits and
    /// including out-of-range numbers.
    package func withView<Result>(_ body: (JSONView) -> Result) -> Result? {
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
