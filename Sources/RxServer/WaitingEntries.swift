internal import RxJSON

/// What waits for a slow peer behind the encoded bytes: replies and events, in their order.
///
/// An event can be dropped from the middle; its place then is a hole, until the holes are taken out.
struct WaitingEntries {
    enum Entry {
        case reply([UInt8])
        /// A part of a reply that other connections may send too: never copied.
        case text([UInt8])
        /// A reply that is written when there is room for it: it holds values that others may hold too.
        case later(bytes: Int, (inout JSONWriter) -> Void)
        case event(Subscription, EncodedEvent)
        case hole
    }

    /// The memory of an entry and its place in a lane, beside its bytes: most of what a short event costs. The number
    /// at the end is for the array of the bytes, 32 of its header and 16 of the allocator. Subscribers share that
    /// array, but it stays for as long as one of them needs it, so each is charged.
    static let overhead = MemoryLayout<Entry>.stride + MemoryLayout<OutboxLane.Place>.stride + 48

    /// The memory of an entry with so many bytes.
    static func cost(of bytes: Int) -> Int { overhead + bytes }

    /// Holes that are tolerated between the entries that wait.
    private static let holesKept = 64
    /// Room for entries that is kept while none waits.
    private static let roomKept = 4096

    private var entries: [Entry] = []
    private var head = 0
    private var holes = 0
    /// The position of `entries[0]` in the order of everything that ever waited.
    private var base: UInt64 = 0
    /// The memory of the entries that wait, in bytes.
    private(set) var bytes = 0

    var isEmpty: Bool { head == entries.count }

    mutating func append(reply: [UInt8]) {
        bytes += Self.cost(of: reply.count)
        entries.append(.reply(reply))
    }

    mutating func append(text: [UInt8]) {
        bytes += Self.cost(of: text.count)
        entries.append(.text(text))
    }

    /// - Parameter bytes: about how long the reply is.
    mutating func append(bytes: Int, later body: @escaping (inout JSONWriter) -> Void) {
        self.bytes += Self.cost(of: bytes)
        entries.append(.later(bytes: bytes, body))
    }

    mutating func append(_ event: EncodedEvent, of subscription: Subscription) {
        subscription.lane.append(event, at: base + UInt64(entries.count))
        entries.append(.event(subscription, event))
        bytes += Self.cost(of: event.waitingBytes)
    }

    /// Takes the oldest entry out; nil if none waits.
    mutating func popFirst() -> Entry? {
        guard head < entries.count else { return nil }
        let entry = take(head)
        head += 1
        switch entry {
        case .reply(let reply), .text(let reply):
            bytes -= Self.cost(of: reply.count)
        case .later(let count, _):
            bytes -= Self.cost(of: count)
        case .event(let subscription, let event):
            bytes -= Self.cost(of: event.waitingBytes)
            subscription.lane.remove(event)
        case .hole:
            holes -= 1
        }
        return entry
    }

    /// Drops the event at a position.
    mutating func drop(at position: UInt64) {
        let index = Int(position - base)
        guard case .event = entries[index], case .event(_, let event) = take(index) else { return }
        bytes -= Self.cost(of: event.waitingBytes)
        holes += 1
        // Mostly it was the oldest: then nothing has to move.
        while head < entries.count, case .hole = entries[head] {
            head += 1
            holes -= 1
        }
        compact()
        if holes > Self.holesKept, holes > (entries.count - head) / 2 { closeHoles() }
    }

    /// Leaves a hole. An entry is not copied, which would cost more than all else here.
    private mutating func take(_ index: Int) -> Entry {
        var entry = Entry.hole
        swap(&entry, &entries[index])
        return entry
    }

    /// Gives up the places before the first entry that waits, if they are most or all.
    mutating func compact() {
        if head == entries.count {
            base += UInt64(entries.count)
            entries.removeAll(keepingCapacity: entries.capacity <= Self.roomKept)
            head = 0
        } else if head > Self.holesKept, head > entries.count / 2 {
            base += UInt64(head)
            entries.removeSubrange(..<head)
            head = 0
        }
    }

    /// Takes the holes out, which are a third at least; what waits keeps its order and gets new positions.
    private mutating func closeHoles() {
        base += UInt64(entries.count)
        var kept: [Entry] = []
        kept.reserveCapacity(entries.count - head - holes)
        for entry in entries[head...] {
            switch entry {
            case .hole: continue
            case .reply, .text, .later: break
            case .event(let subscription, let event):
                subscription.lane.rebase(to: base)
                subscription.lane.append(event, at: base + UInt64(kept.count))
            }
            kept.append(entry)
        }
        entries = kept
        head = 0
        holes = 0
    }
}
