internal import RxJSON
internal import RxTime

/// Keys with the times of their uses, oldest first.
struct UseQueue {
    private var entries: [(key: RawJSON, use: Instant)] = []
    private var start = 0

    var first: (key: RawJSON, use: Instant)? { start < entries.count ? entries[start] : nil }

    mutating func append(_ key: RawJSON, _ use: Instant) { entries.append((key, use)) }

    mutating func takeFirst() -> (key: RawJSON, use: Instant)? {
        guard let first else { return nil }
        start += 1
        if start > 64, start * 2 > entries.count {
            entries.removeFirst(start)
            start = 0
        }
        return first
    }

    /// Removes entries that do not count any more, once they are most of the queue.
    mutating func compact(keeping count: Int, _ isCurrent: (RawJSON, Instant) -> Bool) {
        guard entries.count - start > 2 * count + 64 else { return }
        var seen: Set<RawJSON> = []
        entries = entries[start...].filter { isCurrent($0.key, $0.use) && seen.insert($0.key).inserted }
        start = 0
    }
}
