internal import Rx
internal import RxJSON
internal import RxTime

/// Keys with the times of their uses, oldest first.
struct UseQueue {
    private var entries = Queue<(key: RawJSON, use: Instant)>()

    var first: (key: RawJSON, use: Instant)? { entries.first }

    mutating func append(_ key: RawJSON, _ use: Instant) { entries.append((key, use)) }

    mutating func takeFirst() -> (key: RawJSON, use: Instant)? { entries.removeFirst() }

    /// Removes entries that do not count any more, once they are most of the queue.
    mutating func compact(keeping count: Int, _ isCurrent: (RawJSON, Instant) -> Bool) {
        guard entries.count > 2 * count + 64 else { return }
        var seen: Set<RawJSON> = []
        for entry in entries.removeAll() where isCurrent(entry.key, entry.use) && seen.insert(entry.key).inserted {
            entries.append(entry)
        }
    }
}
