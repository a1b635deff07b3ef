/// Who gets the events of a descriptor.
enum Handler {
    case socket(Socket)
    case listener(Listener)
    case watch(Watch)
}

/// From the key the kernel hands back with an event to its handler, without hashing. A key is an index and a generation: an
/// event that was already in the batch when its descriptor was closed finds a newer generation and reaches nobody.
struct HandlerTable {
    private struct Slot {
        var generation: UInt32 = 0
        var handler: Handler?
    }

    private var slots: [Slot] = []
    private var free: [UInt32] = []

    mutating func insert(_ handler: Handler) -> UInt64 {
        let index: UInt32
        if let reused = free.popLast() {
            index = reused
        } else {
            index = UInt32(slots.count)
            slots.append(Slot())
        }
        slots[Int(index)].handler = handler
        return UInt64(slots[Int(index)].generation) << 32 | UInt64(index)
    }

    mutating func remove(_ key: UInt64) {
        let index = Int(UInt32(truncatingIfNeeded: key))
        guard handler(for: key) != nil else { return }
        slots[index].handler = nil
        slots[index].generation &+= 1
        free.append(UInt32(index))
    }

    @inline(__always)
    func handler(for key: UInt64) -> Handler? {
        let index = Int(UInt32(truncatingIfNeeded: key))
        guard index < slots.count, slots[index].generation == UInt32(truncatingIfNeeded: key >> 32) else { return nil }
        return slots[index].handler
    }
}
