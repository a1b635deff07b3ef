internal import RxAction
internal import RxJSON

/// The newest events of one action, for readers that come late or come back. Levels are not among them: of those only
/// the newest counts, and `HostedAction.Levels` has it.
///
/// Bounded by number and by bytes; what had to go is counted, so that whoever missed it can be told how much it was.
struct EventRing: Sendable {
    typealias Limits = Host.ReplayLimits

    /// What an event costs beside the bytes it refers to, about.
    static let costPerEvent = 192

    enum Entry: Sendable {
        case event(HostEvent)
        case brief(BriefEvents)

        /// Of its last event.
        var cursor: UInt64 {
            switch self {
            case .event(let event): event.cursor
            case .brief(let events): events.lastCursor
            }
        }
    }

    let limits: Limits
    private var entries: [Entry?] = []
    private var head = 0
    private var count = 0
    private var events = 0
    private var bytes = 0
    /// How many there were, ever.
    private(set) var told = KindCounts()
    /// How many of these are here no longer,
    private(set) var evicted = KindCounts()
    /// and the cursor of the last of them.
    private(set) var evictedThrough = KindCounts()
    /// `told` as it was when the log began to leave events out of what it delivers for the `skip.number`th time.
    private var skip: (number: UInt64, told: KindCounts) = (0, KindCounts())

    init(_ limits: Limits) {
        self.limits = limits
    }

    mutating func append(_ event: HostEvent, skip number: UInt64) {
        note(number)
        told.update(event.kind) { $0 += 1 }
        append(.event(event), events: 1, bytes: event.cost)
    }

    mutating func append(_ brief: BriefEvents, skip number: UInt64) {
        note(number)
        told.executions += 2
        if brief.element == nil { told.errors += 1 } else { told.elements += 1 }
        append(.brief(brief), events: BriefEvents.kept, bytes: brief.cost)
    }

    /// `told` at the moment when the log began to leave events out.
    func told(atSkip number: UInt64) -> KindCounts {
        skip.number == number ? skip.told : told
    }

    private mutating func note(_ number: UInt64) {
        if skip.number != number { skip = (number, told) }
    }

    private mutating func append(_ entry: Entry, events added: Int, bytes cost: Int) {
        events += added
        bytes += cost
        while count > 0, events > limits.events || bytes > limits.bytes { evictOldest() }
        guard events <= limits.events, bytes <= limits.bytes else {
            // Alone it is too much.
            forget(entry)
            return
        }
        if count == entries.count { grow() }
        let place = head + count
        entries[place < entries.count ? place : place - entries.count] = entry
        count += 1
    }

    private mutating func grow() {
        var larger: [Entry?] = []
        larger.reserveCapacity(max(16, count * 2))
        for index in 0..<count { larger.append(self[index]) }
        while larger.count < max(16, count * 2) { larger.append(nil) }
        entries = larger
        head = 0
    }

    private subscript(index: Int) -> Entry {
        let place = head + index
        return entries[place < entries.count ? place : place - entries.count]!
    }

    private mutating func evictOldest() {
        guard let entry = entries[head] else { return }
        entries[head] = nil
        head = head + 1 == entries.count ? 0 : head + 1
        count -= 1
        forget(entry)
    }

    private mutating func forget(_ entry: Entry) {
        switch entry {
        case .event(let event):
            events -= 1
            bytes -= event.cost
            evicted.update(event.kind) { $0 += 1 }
            evictedThrough.update(event.kind) { $0 = event.cursor }
        case .brief(let brief):
            events -= BriefEvents.kept
            bytes -= brief.cost
            evicted.executions += 2
            evictedThrough.executions = brief.endCursor
            let kind: EventKinds = brief.element == nil ? .errors : .elements
            evicted.update(kind) { $0 += 1 }
            evictedThrough.update(kind) { $0 = brief.outcomeCursor }
        }
    }

    // MARK: Reading

    /// Calls `body` with the events after `cursor`, oldest first, until it returns false.
    func forEach(after cursor: UInt64, _ body: (HostEvent) -> Bool) {
        for index in firstIndex(after: cursor)..<count {
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

    /// The events of these kinds up to `cursor`, those that are here no longer included.
    func told(upTo cursor: UInt64) -> KindCounts {
        var told = told
        forEach(after: cursor) { event in
            told.update(event.kind) { $0 -= 1 }
            return true
        }
        return told
    }

    /// The newest event of each of `kinds`, oldest first.
    func newest(_ kinds: EventKinds) -> [HostEvent] {
        var found: [HostEvent] = []
        var missing = kinds.subtracting(.levels)
        var index = count
        while index > 0, !missing.isEmpty {
            index -= 1
            let events =
                switch self[index] {
                case .event(let event): [event]
                case .brief(let brief): brief.all
                }
            for event in events.reversed() where missing.contains(event.kind) && !event.kind.isEmpty {
                found.append(event)
                missing.subtract(event.kind)
            }
        }
        return found.reversed()
    }

    /// Of the first entry with an event after `cursor`; `count` if there is none.
    private func firstIndex(after cursor: UInt64) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if self[middle].cursor > cursor { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
