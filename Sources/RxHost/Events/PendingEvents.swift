/// Published events that the log's reader has not drained yet, bounded by number and by bytes.
///
/// When they are full, further events are left out (skipped) until the reader calls `stopSkipping`. It then reads the
/// skipped ones from the rings, as far as they are still there.
struct PendingEvents {
    /// The most events that may be pending: more than one turn of the loop brings. Beyond that, work on other threads
    /// is faster than the loop, and further events are left out; readers get them from the rings, as far as they are
    /// there.
    static let eventsKept = 65_536
    /// The most bytes that pending events may hold.
    static let bytesKept = 32 << 20

    private var entries: [EventRing.Entry] = []
    private var count = 0
    private var bytes = 0
    private var listener: (@Sendable () -> Void)?
    /// Whether the first entry was added and the listener is not called yet.
    private(set) var mustWake = false
    /// No event that `drain` returned so far has a greater cursor.
    private(set) var drainedThrough: UInt64 = 0
    /// The first event that was left out; nil if none was since `stopSkipping`.
    private(set) var skippedFrom: UInt64?
    /// No event after this one was left out, unless that has begun again since. A reader that has everything it may see
    /// can still lack events up to here.
    private(set) var skippedThrough: UInt64 = 0
    /// How often events began to be left out.
    private(set) var skips: UInt64 = 0

    mutating func append(_ event: HostEvent, _ entry: EventRing.Entry) {
        // An event about the name itself is rare, and no ring keeps it: it is never left out.
        guard !event.kind.isEmpty else { return add(entry) }
        guard hasRoom(from: event.cursor) else { return }
        count += 1
        bytes += event.cost
        add(entry)
    }

    /// Appends all events of a brief execution, or skips all of them.
    mutating func append(_ execution: BriefExecution) {
        guard hasRoom(from: execution.base + 1) else { return }
        count += Int(execution.count)
        bytes += execution.cost
        add(.brief(execution))
    }

    private mutating func hasRoom(from cursor: UInt64) -> Bool {
        guard skippedFrom == nil else { return false }
        guard count < PendingEvents.eventsKept, bytes < PendingEvents.bytesKept else {
            skippedFrom = cursor
            skips += 1
            return false
        }
        return true
    }

    private mutating func add(_ entry: EventRing.Entry) {
        if entries.isEmpty { mustWake = true }
        entries.append(entry)
    }

    /// Takes the entries up to `cursor`, the last event that readers may see. `wake` is to be called when that is a
    /// later one.
    mutating func drain(through cursor: UInt64) -> (entries: [EventRing.Entry], skippedFrom: UInt64?) {
        drainedThrough = max(drainedThrough, cursor)
        guard let last = entries.last, last.cursor > cursor else {
            defer {
                entries = []
                count = 0
                bytes = 0
            }
            return (entries, skippedFrom)
        }
        let taken = Array(entries.prefix { $0.cursor <= cursor })
        entries.removeFirst(taken.count)
        for entry in taken {
            let (events, cost) = entry.size
            count -= events
            bytes -= cost
        }
        // The reader continues elsewhere only after all that is here.
        return (taken, nil)
    }

    /// Has the listener called if events are pending.
    mutating func wake() { if !entries.isEmpty { mustWake = true } }

    /// - Parameter cursor: the newest event.
    mutating func stopSkipping(at cursor: UInt64) {
        if skippedFrom != nil { skippedThrough = cursor }
        skippedFrom = nil
    }

    /// Has the listener called if events are pending already.
    mutating func setListener(_ listener: @escaping @Sendable () -> Void) {
        self.listener = listener
        wake()
    }

    /// The listener, if it has to be called because events are pending where none were before.
    mutating func takeListener() -> (@Sendable () -> Void)? {
        guard mustWake, let listener else { return nil }
        mustWake = false
        return listener
    }
}

extension EventRing.Entry {
    /// The number of its events, and their bytes, as pending events count them.
    fileprivate var size: (events: Int, bytes: Int) {
        switch self {
        case .event(let event): event.kind.isEmpty ? (0, 0) : (1, event.cost)
        case .brief(let execution): (Int(execution.count), execution.cost)
        }
    }
}
