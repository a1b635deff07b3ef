/// Maps the key that the kernel returns with an event to its source, without hashing.
///
/// A key is an index and a generation. An event that was already in the batch when its descriptor was closed finds a
/// newer generation and reaches no source.
///
/// Generic so that it does not depend on what a source is; the optimizer specializes it.
struct SourceTable<Source: AnyObject> {
    private struct Slot {
        var generation: UInt32 = 0
        var source: Source?
    }

    private var slots: [Slot] = []
    private var free: [UInt32] = []

    mutating func insert(_ source: Source) -> UInt64 {
        let index: UInt32
        if let reused = free.popLast() {
            index = reused
        } else {
            index = UInt32(slots.count)
            slots.append(Slot())
        }
        slots[Int(index)].source = source
        return UInt64(slots[Int(index)].generation) << 32 | UInt64(index)
    }

    mutating func remove(_ key: UInt64) {
        let index = Int(UInt32(truncatingIfNeeded: key))
        guard source(for: key) != nil else { return }
        slots[index].source = nil
        slots[index].generation &+= 1
        free.append(UInt32(index))
    }

    @inline(__always)
    func source(for key: UInt64) -> Source? {
        let index = Int(UInt32(truncatingIfNeeded: key))
        guard index < slots.count, slots[index].generation == UInt32(truncatingIfNeeded: key >> 32) else { return nil }
        return slots[index].source
    }
}
