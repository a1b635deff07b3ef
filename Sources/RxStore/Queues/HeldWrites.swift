/// The patient writes of a queue that could not be written, in the order of their calls.
struct HeldWrites<Item: QueuedWrite> {
    private var writes: [Item] = []
    private var hasTimer = false

    var isEmpty: Bool { writes.isEmpty }

    /// Adds writes that have failed, after all others.
    mutating func add(_ failed: [Item]) {
        for write in failed { write.hold() }
        writes += failed
    }

    /// Keeps the patient writes of a group, which must not overtake those that wait.
    ///
    /// - Returns: the others.
    mutating func letPass(_ group: ArraySlice<Item>) -> ArraySlice<Item> {
        add(group.filter(\.isPatient))
        return group.filter { !$0.isPatient }[...]
    }

    /// Takes the first writes for the next attempt.
    ///
    /// - Returns: what is to be written, and what was revoked.
    mutating func take(_ most: Int) -> (group: [Item], revoked: [Item]) {
        var (group, revoked): ([Item], [Item]) = ([], [])
        for write in writes.prefix(most) {
            if let resumed = write.resumed() { group.append(resumed) } else { revoked.append(write) }
        }
        writes.removeFirst(group.count + revoked.count)
        return (group, revoked)
    }

    /// Adds writes that were taken and have failed, before all others.
    mutating func putBack(_ failed: [Item]) {
        for write in failed { write.hold() }
        writes.insert(contentsOf: failed, at: 0)
    }

    mutating func takeAll() -> [Item] {
        defer { writes = [] }
        return writes
    }

    /// Whether a timer for the next attempt has to be set; true once until `timerFired`.
    mutating func needsTimer() -> Bool {
        guard !writes.isEmpty, !hasTimer else { return false }
        hasTimer = true
        return true
    }

    mutating func timerFired() { hasTimer = false }
}
