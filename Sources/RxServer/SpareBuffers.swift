/// Buffers of outboxes that have nothing to write, for those that have: an idle connection has none, and a turn that
/// writes to one connection after another goes on in memory that is in the cache.
final class SpareBuffers {
    /// Buffers kept: as many as connections that answer in one turn, mostly.
    private static let kept = 64
    /// Room of a new one, enough for the answers of a turn.
    private static let room = 4096
    /// A larger one is given back.
    private static let largest = 16_384

    @exclusivity(unchecked) private var buffers: [[UInt8]] = []

    func take() -> [UInt8] {
        if let buffer = buffers.popLast() { return buffer }
        var buffer: [UInt8] = []
        buffer.reserveCapacity(SpareBuffers.room)
        return buffer
    }

    /// Takes the buffer away, and its content.
    func give(_ buffer: inout [UInt8]) {
        var given: [UInt8] = []
        swap(&buffer, &given)
        guard given.capacity <= SpareBuffers.largest, buffers.count < SpareBuffers.kept else { return }
        given.removeAll(keepingCapacity: true)
        buffers.append(given)
    }
}
