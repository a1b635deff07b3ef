internal import RxPlatform

/// The pending alarms of a clock, by instant: a binary heap of small entries, and a table of what to call. The table
/// knows each alarm's place in the heap, so that a canceled one leaves at once and nothing of it stays.
struct AlarmHeap {
    /// The most alarms at a time: what fits the bits of an entry, and far more than a daemon can act upon.
    static let most = 1 << slotBits
    /// Bits of a key for the slot. The other 40 count alarms: a thousand each second for 35 years.
    private static let slotBits: UInt64 = 24

    /// What to call, and where.
    struct Call {
        let body: @Sendable () -> Void
        let queue: WorkQueue
    }

    private struct Entry {
        let due: Int64
        /// The number of the alarm, by which equal instants are ordered, above its slot in the table.
        let key: UInt64

        var slot: Int { Int(key & UInt64(AlarmHeap.most - 1)) }

        static func < (left: Entry, right: Entry) -> Bool { (left.due, left.key) < (right.due, right.key) }
    }

    private struct Record {
        var call: Call?
        /// The place in the heap; in a free record, the next free slot.
        var place: UInt32
        var generation: UInt32
    }

    private static let noSlot = UInt32.max

    private var entries: [Entry] = []
    private var records: [Record] = []
    private var firstFree = noSlot
    private var added: UInt64 = 0

    var count: Int { entries.count }
    /// The instant of the first alarm in microseconds.
    var firstDue: Int64? { entries.first?.due }

    mutating func insert(due: Int64, _ call: Call) -> Alarm {
        let slot = takeSlot()
        let place = entries.count
        Self.reserve(&entries)
        entries.append(Entry(due: due, key: added << Self.slotBits | UInt64(slot)))
        added += 1
        records[slot].call = call
        rise(from: place)
        return Alarm(slot: UInt32(slot), generation: records[slot].generation)
    }

    /// Removes an alarm and returns its call, which the caller releases: that may use the heap. Nil if it is not there.
    mutating func remove(_ alarm: Alarm) -> Call? {
        let slot = Int(alarm.slot)
        guard slot < records.count, records[slot].generation == alarm.generation, records[slot].call != nil else {
            return nil
        }
        return remove(slot: slot)
    }

    /// Removes the first alarm that is not after `now`.
    mutating func removeDue(at now: Int64) -> Call? {
        guard let first = entries.first, first.due <= now else { return nil }
        return remove(slot: first.slot)
    }

    private mutating func remove(slot: Int) -> Call? {
        let call = records[slot].call
        let hole = Int(records[slot].place)
        records[slot].call = nil
        records[slot].generation &+= 1
        records[slot].place = firstFree
        firstFree = UInt32(slot)
        let last = entries.removeLast()
        if hole < entries.count {
            put(last, at: hole)
            rise(from: hole)
            sink(from: Int(records[last.slot].place))
        }
        return call
    }

    private mutating func takeSlot() -> Int {
        guard firstFree == Self.noSlot else {
            let slot = Int(firstFree)
            firstFree = records[slot].place
            return slot
        }
        precondition(records.count < Self.most, "more than \(Self.most) alarms are pending")
        Self.reserve(&records)
        records.append(Record(call: nil, place: 0, generation: 0))
        return records.count - 1
    }

    /// Grows by a quarter instead of doubling, so that little of the memory is unused.
    private static func reserve<Element>(_ array: inout [Element]) {
        if array.count == array.capacity { array.reserveCapacity(array.count + array.count / 4 + 16) }
    }

    private mutating func put(_ entry: Entry, at place: Int) {
        entries[place] = entry
        records[entry.slot].place = UInt32(place)
    }

    private mutating func rise(from start: Int) {
        let entry = entries[start]
        var place = start
        while place > 0, case let parent = (place - 1) / 2, entry < entries[parent] {
            put(entries[parent], at: place)
            place = parent
        }
        put(entry, at: place)
    }

    private mutating func sink(from start: Int) {
        let entry = entries[start]
        var place = start
        while case var child = 2 * place + 1, child < entries.count {
            if child + 1 < entries.count, entries[child + 1] < entries[child] { child += 1 }
            guard entries[child] < entry else { break }
            put(entries[child], at: place)
            place = child
        }
        put(entry, at: place)
    }
}
