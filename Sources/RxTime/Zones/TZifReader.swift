/// Reads numbers and text from bytes, and throws where there are none left.
struct TZifReader {
    private let bytes: [UInt8]
    private(set) var offset = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    mutating func skip(_ count: Int) throws(ZoneFault) { _ = try take(count) }

    mutating func byte() throws(ZoneFault) -> UInt8 { try take(1).first! }

    /// A big-endian number with a sign, of 4 or 8 bytes.
    mutating func integer(bytes count: Int) throws(ZoneFault) -> Int64 {
        let value = try take(count).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return count == 4 ? Int64(Int32(truncatingIfNeeded: value)) : Int64(bitPattern: value)
    }

    /// The text between two line feeds.
    mutating func line() throws(ZoneFault) -> String {
        guard try byte() == 0x0A else { throw fault("expected a line feed before the rule", at: offset - 1) }
        guard let end = bytes[offset...].firstIndex(of: 0x0A) else { throw fault("the rule has no end") }
        return String(decoding: try take(end - offset), as: UTF8.self)
    }

    mutating func take(_ count: Int) throws(ZoneFault) -> ArraySlice<UInt8> {
        guard count <= bytes.count - offset else { throw fault("the file ends too early") }
        defer { offset += count }
        return bytes[offset..<offset + count]
    }

    func fault(_ reason: String, at place: Int? = nil) -> ZoneFault {
        .invalidFile(offset: place ?? offset, reason)
    }
}
