/// A pool of buffers for outboxes with something to write. An idle connection has no buffer, and a turn that writes
/// to one connection after another reuses memory that is in the cache.
final class SpareBuffers {
    /// Buffers kept: usually as many connections answer in one turn.
    private static let kept = 64
    /// Bytes of a new buffer, enough for the answers of a turn.
    private static let room = 4096
    /// Bytes above which a buffer is freed instead of kept.
    private static let largest = 16_384

    @exclusivity(unchecked) private var buffers: [[UInt8]] = []

    func take() -> [UInt8] {
        if let buffer = buffers.popLast() { return buffer }
        var buffer: [UInt8] = []
        buffer.reserveCapacity(SpareBuffers.room)
        return buffer
    }

    /// Takes the buffer back and discards its content.
    func give(_ buffer: inout [UInt8]) {
        var given: [UInt8] = []
        swap(&buffer, &given)
        guard given.capacity <= SpareBuffers.largest, buffers.count < SpareBuffers.kept else { return }
        given.removeAll(keepingCapacity: true)
        buffers.append(given)
    }
}
