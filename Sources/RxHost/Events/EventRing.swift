internal import RxRecords
internal import RxAction
internal import RxJSON

/// The newest events of one name, for readers that come late or come back. Levels are not among them: of a level only
/// the newest value counts, and its owner has it.
///
/// Bounded by number and by bytes. Evicted events are counted, so that readers can be informed of how many they missed.
// Unchecked: guarded by the log's lock, which also keeps accesses from overlapping.
final class EventRing: @unchecked Sendable {
    /// The first capacity of a ring; it doubles as long as the limits allow.
    private static let leastRoom = 16
    /// Entries in which `lastEnds` looks: those of 20 executions with some lines of output each. The lock is held.
    private static let entriesOfEnds = 512

    enum Entry: Sendable {
        // Indirect, so that an entry is a reference and nothing else.
        indirect case event(HostEvent)
        case brief(BriefExecution)

        /// The cursor of the entry's last event.
        var cursor: UInt64 {
            switch self {
            case .event(let event): event.cursor
            case .brief(let execution): execution.lastCursor
            }
        }
    }

    let limits: CatchUpLimits
    /// `room` places, of which `count` from `head` on are initialized. Not an array, whose elements would be copied and
    /// checked on their way in and out.
    @exclusivity(unchecked) private var entries: UnsafeMutablePointer<Entry>
    /// A power of two.
    @exclusivity(unchecked) private var room = EventRing.leastRoom
    @exclusivity(unchecked) private var head = 0
    @exclusivity(unchecked) private var count = 0
    @exclusivity(unchecked) private var events = 0
    /// The approximate memory of the events here.
    @exclusivity(unchecked) private(set) var bytes = 0
    /// Where it is in `EventRings`, which alone sets this; nil as long as it is empty.
    @exclusivity(unchecked) var index: Int?
    /// How many events were ever appended.
    @exclusivity(unchecked) private(set) var published = KindCounts()
    /// The cursor of the last event appended.
    @exclusivity(unchecked) private(set) var publishedThrough = KindCounts()
    /// How many of these are no longer here.
    @exclusivity(unchecked) private(set) var evicted = KindCounts()
    /// The cursor of the last event that is no longer here.
    @exclusivity(unchecked) private(set) var evictedThrough = KindCounts()
    /// `published` as it was when the log began to leave events out of what it delivers for the `skip.number`th time.
    @exclusivity(unchecked) private var skip: (number: UInt64, published: KindCounts) = (0, KindCounts())

    init(_ limits: CatchUpLimits) {
        self.limits = limits
        entries = .allocate(capacity: EventRing.leastRoom)
    }

    deinit {
        while count > 0 { _ = removeOldest() }
        entries.deallocate()
    }

    func append(_ event: HostEvent, _ entry: __owned Entry, skip number: UInt64) {
        note(number)
        published.update(event.kind) { $0 += 1 }
        publishedThrough.update(event.kind) { $0 = event.cursor }
        append(entry, events: 1, bytes: event.cost)
    }

    func append(_ brief: BriefExecution, skip number: UInt64) {
        note(number)
        published.executions += 2
        publishedThrough.executions = brief.endCursor
        if brief.element == nil {
            published.errors += 1
            publishedThrough.errors = brief.outcomeCursor
        } else {
            published.elements += 1
            publishedThrough.elements = brief.outcomeCursor
        }
        append(.brief(brief), events: BriefExecution.kept, bytes: brief.cost)
    }

    /// `published` at the moment when the log began to leave events out.
    func published(atSkip number: UInt64) -> KindCounts {
        skip.number == number ? skip.published : published
    }

    private func note(_ number: UInt64) {
        if skip.number != number { skip = (number, published) }
    }

    private func append(_ entry: __owned Entry, events added: Int, bytes cost: Int) {
        events += added
        bytes += cost
        while count > 0, events > limits.events || bytes > limits.bytes { forget(removeOldest()) }
        guard events <= limits.events, bytes <= limits.bytes else {
            // It exceeds the limits alone.
            forget(entry)
            return
        }
        if count == room { grow() }
        place(count).initialize(to: entry)
        count += 1
    }

    private func grow() { move(to: room * 2) }

    private func move(to newRoom: Int) {
        let moved = UnsafeMutablePointer<Entry>.allocate(capacity: newRoom)
        let first = min(count, room - head)
        moved.moveInitialize(from: entries + head, count: first)
        (moved + first).moveInitialize(from: entries, count: count - first)
        entries.deallocate()
        entries = moved
        room = newRoom
        head = 0
    }

    /// Evicts the oldest entries until the others take no more than `size` bytes, and gives back most of their places.
    ///
    /// - Parameter keepsNewest: whether the newest entry stays even if it takes more.
    func trim(to size: Int, keepsNewest: Bool) {
        while bytes > size, count > (keepsNewest ? 1 : 0) { forget(removeOldest()) }
        var fitting = room
        while fitting > Self.leastRoom, count <= fitting / 4 { fitting /= 2 }
        if fitting < room { move(to: fitting) }
    }

    private func place(_ index: Int) -> UnsafeMutablePointer<Entry> { entries + ((head + index) & (room - 1)) }

    private subscript(index: Int) -> Entry { place(index).pointee }

    private func removeOldest() -> Entry {
        let entry = (entries + head).move()
        head = (head + 1) & (room - 1)
        count -= 1
        return entry
    }

    private func forget(_ entry: Entry) {
        switch entry {
        case .event(let event):
            events -= 1
            bytes -= event.cost
            evicted.update(event.kind) { $0 += 1 }
            evictedThrough.update(event.kind) { $0 = event.cursor }
        case .brief(let brief):
            events -= BriefExecution.kept
            bytes -= brief.cost
            evicted.executions += 2
            evictedThrough.executions = brief.endCursor
            if brief.element == nil {
                evicted.errors += 1
                evictedThrough.errors = brief.outcomeCursor
            } else {
                evicted.elements += 1
                evictedThrough.elements = brief.outcomeCursor
            }
        }
    }

    // MARK: Reading

    /// The number of entries.
    var entryCount: Int { count }

    /// The approximate memory of the newest entry.
    var newestBytes: Int {
        guard count > 0 else { return 0 }
        return switch self[count - 1] {
        case .event(let event): event.cost
        case .brief(let brief): brief.cost
        }
    }

    /// Entries that readers have looked at one by one, for tests.
    @exclusivity(unchecked) private(set) var visits = 0

    /// Calls `body` with the events after `cursor`, oldest first, until it returns false.
    func forEach(after cursor: UInt64, _ body: (HostEvent) -> Bool) {
        for index in firstIndex(after: cursor)..<count {
            visits += 1
            switch self[index] {
            case .event(let event):
                if !body(event) { return }
            case .brief(let brief):
                for event in brief.all where !event.kind.isSubset(of: .levels) && event.cursor > cursor {
                    if !body(event) { return }
                }
            }
        }
    }

    /// Calls `body` with the events after `cursor` of the executions that have a place, oldest first, until it returns
    /// false. However many executions these are, each entry is looked at once.
    func forEach(after cursor: UInt64, at place: (ExecutionID) -> Int?, _ body: (HostEvent, Int) -> Bool) {
        for index in firstIndex(after: cursor)..<count {
            visits += 1
            switch self[index] {
            case .event(let event):
                guard let execution = event.execution, let place = place(execution) else { continue }
                if !body(event, place) { return }
            case .brief(let brief):
                guard let place = place(brief.id) else { continue }
                for event in brief.all where event.execution != nil && event.cursor > cursor {
                    if !body(event, place) { return }
                }
            }
        }
    }

    /// The number of entries after `cursor`, or of those before it if these are fewer and may be looked at instead.
    func entries(after cursor: UInt64, orBefore: Bool) -> Int {
        let first = firstIndex(after: cursor)
        return orBefore ? min(first, count - first) : count - first
    }

    /// Whether an event with this number is here.
    func has(_ cursor: UInt64) -> Bool {
        var isHere = false
        forEach(after: cursor - 1) { event in
            isHere = event.cursor == cursor
            return false
        }
        return isHere
    }

    /// Whether the event with this number, the first of an execution, is still here.
    func hasFirst(_ cursor: UInt64) -> Bool {
        let index = firstIndex(after: cursor - 1)
        guard index < count else { return false }
        switch self[index] {
        case .event(let event): return event.cursor == cursor
        case .brief(let brief): return brief.base + 1 == cursor
        }
    }

    /// The number of events up to `cursor`, including those that are no longer here.
    func published(upTo cursor: UInt64) -> KindCounts {
        let first = firstIndex(after: cursor)
        return first < count - first ? evicted(and: first, upTo: cursor) : published(without: first, upTo: cursor)
    }

    /// Counts what is no longer here, the entries before `end`, and what is up to `cursor` of the one there.
    private func evicted(and end: Int, upTo cursor: UInt64) -> KindCounts {
        var published = evicted
        for index in 0..<min(end + 1, count) {
            visits += 1
            switch self[index] {
            case .event(let event):
                if event.cursor <= cursor { published.update(event.kind) { $0 += 1 } }
            case .brief(let brief):
                if brief.base < cursor { published.executions += 1 }
                if brief.endCursor <= cursor { published.executions += 1 }
                guard brief.outcomeCursor <= cursor else { continue }
                if brief.element == nil { published.errors += 1 } else { published.elements += 1 }
            }
        }
        return published
    }

    /// Counts everything but the entries from `first` on, and what is after `cursor` of that one.
    private func published(without first: Int, upTo cursor: UInt64) -> KindCounts {
        var published = published
        for index in first..<count {
            visits += 1
            switch self[index] {
            case .event(let event):
                published.update(event.kind) { $0 -= 1 }
            case .brief(let brief):
                // Counted without making its events: there may be thousands, and the lock is held.
                if brief.base >= cursor { published.executions -= 1 }
                if brief.endCursor > cursor { published.executions -= 1 }
                guard brief.outcomeCursor > cursor else { continue }
                if brief.element == nil { published.errors -= 1 } else { published.elements -= 1 }
            }
        }
        return published
    }

    /// Whether an event of this kind is here.
    func has(_ kind: EventKinds) -> Bool { published.sum(of: kind) > evicted.sum(of: kind) }

    /// The newest event of each of `kinds`, oldest first.
    func newest(_ kinds: EventKinds) -> [HostEvent] {
        var found: [HostEvent] = []
        for kind in EventKinds.kept where kinds.contains(kind) {
            guard has(kind) else { continue }
            let cursor = publishedThrough.newest(of: kind)
            forEach(after: cursor - 1) { event in
                found.append(event)
                return false
            }
        }
        return found.sorted { $0.cursor < $1.cursor }
    }

    /// The last executions that have ended, at most `most`, oldest first, as far as the newest entries have them.
    func lastEnds(_ most: Int) -> [ExecutionRecord] {
        var ends: [ExecutionRecord] = []
        for index in (max(0, count - Self.entriesOfEnds)..<count).reversed() where ends.count < most {
            switch self[index] {
            case .brief(let brief): ends.append(brief.record)
            case .event(let event):
                if case .execution(let record) = event.change, record.state.isFinal { ends.append(record) }
            }
        }
        return ends.reversed()
    }

    /// The cursor of the first event of an execution, if it is still here.
    func first(of id: ExecutionID) -> UInt64? {
        var found: UInt64?
        forEach(after: 0, at: { $0 == id ? 0 : nil }) { event, _ in
            guard event.ordinal == 1, case .execution = event.change else { return true }
            found = event.cursor
            return false
        }
        return found
    }

    /// Whether the final record of an execution is here, as an event after `cursor`.
    func hasEnd(of id: ExecutionID, after cursor: UInt64) -> Bool {
        var found = false
        forEach(after: cursor, at: { $0 == id ? 0 : nil }) { event, _ in
            if case .execution(let record) = event.change { found = record.state.isFinal }
            return !found
        }
        return found
    }

    /// The cursor of the first event since `time`, in milliseconds since 1970, if there is one. The clock may have been
    /// changed, so all are looked at.
    func first(since time: Int64) -> UInt64? {
        for index in 0..<count {
            visits += 1
            switch self[index] {
            case .event(let event): if event.time >= time { return event.cursor }
            case .brief(let brief): if brief.time >= time { return brief.base + 1 }
            }
        }
        return nil
    }

    /// The index of the first entry with an event after `cursor`; `count` if there is none.
    private func firstIndex(after cursor: UInt64) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if self[middle].cursor > cursor { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
