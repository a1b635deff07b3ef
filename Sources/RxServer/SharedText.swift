internal import RxJSON

/// A long text on its way to one peer. Many connections may hold the same bytes, which are never copied.
struct SharedText {
    /// Bytes above which the end of an event is sent like this, rather than copied behind the event's head.
    static let least = 16_384

    private let bytes: [UInt8]
    private var written = 0

    /// Nil for nil.
    init?(_ bytes: [UInt8]?) {
        guard let bytes else { return nil }
        self.bytes = bytes
    }

    /// Bytes that are not written.
    var left: Int { bytes.count - written }

    /// The bytes that it takes, to the end.
    var memory: Int { bytes.count }

    /// Copies what is not written.
    func append(to writer: inout JSONWriter) {
        writer.bytes.append(contentsOf: bytes[written...])
    }

    /// - Returns: the number of bytes that the transport took.
    mutating func write(to transport: any Transport, atMost most: Int) -> Int {
        let count = bytes.withUnsafeBytes { transport.write($0[written...].atMost(most)) }
        written += count
        return count
    }
}

extension Slice<UnsafeRawBufferPointer> {
    /// The first bytes, at most `count`.
    func atMost(_ count: Int) -> UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: prefix(count)) }
}
