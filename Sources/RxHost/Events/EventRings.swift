/// The rings of a host that have events: they share a limit of memory.
///
/// When it is exceeded, the largest rings give way, down to one size that those below keep. Much leaves at a time, so
/// that the search for this size costs little per event.
// A ring that has events lives anyway, because the events refer to its owner. So this list keeps no ring alive, and no
// ring that is deallocated is in it.
struct EventRings: Sendable {
    /// The part of the limit that is free after rings have given way.
    private static let partFreed = 128

    private let limit: Int
    private var rings: [EventRing] = []
    /// The approximate memory of all events.
    private(set) var bytes = 0

    /// - Parameter limit: the most memory of all events together.
    init(_ limit: Int) { self.limit = limit }

    /// The number of rings that have events.
    var count: Int { rings.count }

    mutating func append(_ event: HostEvent, _ entry: __owned EventRing.Entry, to ring: EventRing, skip: UInt64) {
        let before = ring.bytes
        ring.append(event, entry, skip: skip)
        changed(ring, from: before)
    }

    mutating func append(_ brief: BriefExecution, to ring: EventRing, skip: UInt64) {
        let before = ring.bytes
        ring.append(brief, skip: skip)
        changed(ring, from: before)
    }

    /// Evicts all events of a ring.
    mutating func empty(_ ring: EventRing) {
        let before = ring.bytes
        ring.trim(to: -1, keepsNewest: false)
        changed(ring, from: before)
    }

    @inline(__always)
    private mutating func changed(_ ring: EventRing, from before: Int) {
        bytes += ring.bytes - before
        if bytes > limit || (ring.index == nil) != (ring.entryCount == 0) { settle(ring) }
    }

    @inline(never)
    private mutating func settle(_ ring: EventRing) {
        list(ring)
        if bytes > limit { makeRoom() }
    }

    /// Adds a ring that has events, and removes one that has none.
    private mutating func list(_ ring: EventRing) {
        if let index = ring.index, ring.entryCount == 0 {
            rings.swapAt(index, rings.count - 1)
            rings[index].index = index
            rings.removeLast()
            ring.index = nil
        } else if ring.index == nil, ring.entryCount > 0 {
            ring.index = rings.count
            rings.append(ring)
        }
    }

    private mutating func makeRoom() {
        let goal = limit - limit / Self.partFreed
        let sizes = Sizes(rings, freeing: bytes - goal)
        let largest = rings.filter { $0.bytes > sizes.level }
            .map { (ring: $0, bytes: $0.bytes, newest: $0.publishedThrough.newest(of: .all)) }
            // Of two that are as large, first the one that has been silent for longer.
            .sorted { $0.bytes != $1.bytes ? $0.bytes > $1.bytes : $0.newest < $1.newest }
        for (ring, before, _) in largest where bytes > goal {
            ring.trim(to: sizes.level, keepsNewest: sizes.keepNewest)
            bytes += ring.bytes - before
            list(ring)
        }
    }

    /// The size down to which the largest rings give way.
    private struct Sizes {
        /// Bytes of one ring.
        private(set) var level = 0
        /// Whether each ring keeps its newest entry. It does unless these alone take too much.
        let keepNewest: Bool

        /// - Parameters:
        ///   - rings: the rings.
        ///   - needed: how many bytes are to leave: at least one.
        init(_ rings: [EventRing], freeing needed: Int) {
            let sizes = rings.map { (bytes: $0.bytes, newest: $0.newestBytes) }
            func freed(_ level: Int, keepNewest: Bool) -> Int {
                sizes.reduce(0) { $0 + max(0, $1.bytes - max(level, keepNewest ? $1.newest : 0)) }
            }
            keepNewest = freed(0, keepNewest: true) >= needed
            // The greatest level that frees enough: `above` does not.
            var above = sizes.reduce(0) { max($0, $1.bytes) }
            while above - level > 1 {
                let middle = (level + above) / 2
                if freed(middle, keepNewest: keepNewest) >= needed { level = middle } else { above = middle }
            }
        }
    }
}
