internal import RxJSON

/// A long text on its way to one peer. Many connections may hold the same bytes, which are never copied.
struct SharedText {
    /// Bytes above which the end of an event is sent like this, rather than copied behind the event's head.
    static let least = 16_384

    private let bytes: [UInt8]
    /// Follows the bytes; short, and this event's own.
    private let end: [UInt8]
    private var written = 0

    init(_ bytes: [UInt8], end: [UInt8] = []) {
        self.bytes = bytes
        self.end = end
    }

    /// Bytes that are not written.
    var left: Int { memory - written }

    /// The bytes that it takes, to the end.
    var memory: Int { bytes.count + end.count }

    /// Copies what is not written.
    func append(to writer: inout JSONWriter) {
        writer.bytes.append(contentsOf: bytes.dropFirst(written))
        writer.bytes.append(contentsOf: end.dropFirst(max(0, written - bytes.count)))
    }

    /// - Returns: the number of bytes that the transport took.
    mutating func write(to transport: any Transport, atMost most: Int) -> Int {
        var taken = 0
        if written < bytes.count {
            taken = bytes.withUnsafeBytes { transport.write($0[written...].atMost(most)) }
            written += taken
        }
        guard written >= bytes.count, left > 0, taken < most else { return taken }
        let count = end.withUnsafeBytes { transport.write($0[(written - bytes.count)...].atMost(most - taken)) }
        written += count
        return taken + count
    }
}

extension Slice<UnsafeRawBufferPointer> {
    /// The first bytes, at most `count`.
    func atMost(_ count: Int) -> UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: prefix(count)) }
}
