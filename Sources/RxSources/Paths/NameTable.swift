/// Finds ids by a hash: open addressing with linear probing, about 8 bytes per id.
struct NameTable {
    typealias ID = PathEntry.ID

    /// Ids plus one; 0 is empty. Its size is a power of two.
    private var slots = [UInt32](repeating: 0, count: 16)
    private var count = 0

    /// Bytes of memory.
    var memory: Int { slots.count * 4 }

    /// The first id with that hash for which `isWanted` holds. Ids with another hash may be asked for, too.
    func first(of hash: Int, where isWanted: (ID) -> Bool) -> ID? {
        var slot = hash & (slots.count - 1)
        while slots[slot] != 0 {
            let id = slots[slot] - 1
            if isWanted(id) { return id }
            slot = (slot + 1) & (slots.count - 1)
        }
        return nil
    }

    /// Adds an id, which is not in here.
    ///
    /// - Parameter hash: that of any id.
    mutating func insert(_ id: ID, hash: (ID) -> Int) {
        // At most three quarters full, which bounds the length of probes.
        if (count + 1) * 4 > slots.count * 3 {
            let old = slots
            slots = [UInt32](repeating: 0, count: old.count * 2)
            for id in old where id != 0 { put(id - 1, hash(id - 1)) }
        }
        put(id, hash(id))
        count += 1
    }

    /// Removes an id, if it is in here.
    mutating func remove(_ id: ID, hash: (ID) -> Int) {
        let mask = slots.count - 1
        var hole = hash(id) & mask
        while slots[hole] != id + 1 {
            guard slots[hole] != 0 else { return }
            hole = (hole + 1) & mask
        }
        count -= 1
        // Moves back what was put behind it, so that no probe ends too early.
        var probe = hole
        while true {
            probe = (probe + 1) & mask
            guard slots[probe] != 0 else { break }
            let home = hash(slots[probe] - 1) & mask
            guard (probe &- home) & mask >= (probe &- hole) & mask else { continue }
            slots[hole] = slots[probe]
            hole = probe
        }
        slots[hole] = 0
    }

    private mutating func put(_ id: ID, _ hash: Int) {
        var slot = hash & (slots.count - 1)
        while slots[slot] != 0 { slot = (slot + 1) & (slots.count - 1) }
        slots[slot] = id + 1
    }
}
