internal import RxJSON

/// The way out of a connection: bounded, ordered, one write per turn.
///
/// What fits is written into one buffer at once. When the peer reads too slowly, replies and events wait as entries:
/// replies are never dropped (the connection stops reading instead); events are dropped oldest first, each
/// subscription's against its own bound, and counted; of a level only the newest waits.
final class Outbox {
    /// Encoded bytes above which events wait as entries, where they can still be dropped or replaced.
    static let encodedBytes = 65_536
    /// Bytes given to the kernel in one turn, so that one reader of much cannot hold up the others.
    static let batchBytes = 262_144
    /// Dropped entries that are tolerated between those that wait.
    static let holesKept = 64

    private enum Entry {
        case reply([UInt8])
        case event(Subscription, EncodedEvent)
        case hole
    }

    // On the loop alone, and nothing is called while any of it changes but who writes a message, which knows no outbox:
    // hence no dynamic checks of overlapping accesses.

    /// Has a buffer only while there is something to write.
    @exclusivity(unchecked) private var writer = JSONWriter(reserving: 0)
    private let spares: SpareBuffers
    @exclusivity(unchecked) private var written = 0
    @exclusivity(unchecked) private var entries: [Entry] = []
    @exclusivity(unchecked) private var head = 0
    @exclusivity(unchecked) private var holes = 0
    /// The position of `entries[0]` in the order of everything that ever waited.
    @exclusivity(unchecked) private var base: UInt64 = 0
    /// Bytes of the entries that wait.
    @exclusivity(unchecked) private var waitingBytes = 0
    /// Streams that hold back their work.
    @exclusivity(unchecked) private var holding: [Subscription] = []
    /// Subscriptions that lost events and may not have been told.
    @exclusivity(unchecked) private var lagging: [ObjectIdentifier: Subscription] = [:]
    private let limit: Int

    init(limit: Int, spares: SpareBuffers) {
        self.limit = limit
        self.spares = spares
    }

    var isEmpty: Bool { written == writer.bytes.count && head == entries.count && lagging.isEmpty }

    var bytes: Int { writer.bytes.count - written + waitingBytes }

    /// Whether the peer's user has more waiting than one user may: then there is no room for anything more.
    var isSqueezed = false
    private var effectiveLimit: Int { isSqueezed ? 0 : limit }

    /// Whether requests should wait until the peer has read some of what it asked for.
    var isFull: Bool { bytes > 0 && bytes >= effectiveLimit }

    /// Whether a stream holds back its work until the peer has read on.
    var isHolding: Bool { !holding.isEmpty }

    /// The peer took too long: from here on its events are dropped like everyone's.
    func stopHolding() {
        for subscription in holding { subscription.stopPacing() }
        holding = []
    }

    /// Appends one message; `body` writes it.
    func reply(_ body: (inout JSONWriter) -> Void) {
        if head == entries.count {
            takeBuffer()
            body(&writer)
            writer.endLine()
        } else {
            var own = JSONWriter()
            body(&own)
            own.endLine()
            waitingBytes += own.bytes.count
            entries.append(.reply(own.bytes))
        }
    }

    /// Whether as much is encoded as may be, and nothing waits behind it yet.
    var isEncodedFull: Bool { head == entries.count && writer.bytes.count - written >= Outbox.encodedBytes }

    /// Whether what a subscription has missed may be written now: nothing waits that it would overtake.
    var hasRoom: Bool { head == entries.count && lagging.isEmpty && writer.bytes.count - written < Outbox.encodedBytes }

    /// Writes an event that was kept elsewhere, for which there is room.
    func replay(_ event: EncodedEvent, of subscription: Subscription) {
        takeBuffer()
        subscription.write(event, to: &writer)
    }

    /// Appends an event of `subscription`, and makes room for it if there is none.
    ///
    /// - Returns: whether there was room, or what was dropped is counted; if not, the subscription is to end.
    func event(_ event: EncodedEvent, of subscription: Subscription) -> Bool {
        if head == entries.count, writer.bytes.count - written < Outbox.encodedBytes {
            takeBuffer()
            write(event, of: subscription)
            return true
        }
        var event = event
        if let level = event.level {
            if let position = subscription.waitingLevels[level] {
                drop(at: position)
                // What leads from one to the next is of no use any more.
                if event.whole != nil { event = event.asWhole }
            }
        } else if subscription.flow != nil {
            // What the work has yielded already waits, however much it is; more comes when this has been read.
            if subscription.hold() { holding.append(subscription) }
        } else if !event.mustArrive {
            guard makeRoom(for: event, of: subscription) else {
                guard subscription.overflow != .end else { return false }
                lose(event.cursor, of: subscription)
                return true
            }
        }
        let position = Waiting(position: base + UInt64(entries.count), cursor: event.cursor)
        entries.append(.event(subscription, event))
        waitingBytes += event.tail.count
        if let level = event.level {
            subscription.waitingLevels[level] = position
        } else {
            subscription.waitingEvents.append(position)
        }
        return true
    }

    private func makeRoom(for event: EncodedEvent, of subscription: Subscription) -> Bool {
        func hasRoom() -> Bool {
            subscription.waitingEvents.count < subscription.buffer && bytes + event.tail.count <= effectiveLimit
        }
        switch subscription.overflow {
        case .dropOldest:
            while !hasRoom(), let oldest = subscription.waitingEvents.popFirst() {
                drop(at: oldest)
                lose(oldest.cursor, of: subscription)
            }
            return hasRoom()
        case .dropNewest:
            // What follows a loss is lost until all before it is read, so that one lag tells of one gap.
            return (!subscription.isLagging || subscription.waitingEvents.count == 0) && hasRoom()
        case .end:
            return hasRoom()
        }
    }

    /// Appends what is left of lines that nothing precedes.
    func append(_ rest: UnsafeRawBufferPointer) {
        takeBuffer()
        writer.bytes.append(contentsOf: rest)
    }

    private func takeBuffer() {
        if writer.bytes.capacity == 0 { writer.bytes = spares.take() }
    }

    /// Writes what the transport takes now.
    ///
    /// - Returns: whether everything is gone.
    func flush(to transport: any Transport) -> Bool {
        encodeWaiting()
        guard written < writer.bytes.count else { return true }
        let count = writer.bytes.withUnsafeBytes { bytes in
            transport.write(
                UnsafeRawBufferPointer(rebasing: bytes[written..<min(bytes.count, written + Outbox.batchBytes)]))
        }
        written += count
        if written == writer.bytes.count {
            written = 0
            spares.give(&writer.bytes)
        } else if written > Outbox.encodedBytes {
            writer.bytes.removeSubrange(..<written)
            written = 0
        }
        return isEmpty
    }

    /// Moves entries into the buffer while it has room.
    private func encodeWaiting() {
        guard !entries.isEmpty || !lagging.isEmpty || !holding.isEmpty else { return }
        takeBuffer()
        while head < entries.count, writer.bytes.count - written < Outbox.encodedBytes {
            switch entries[head] {
            case .reply(let bytes):
                waitingBytes -= bytes.count
                writer.bytes.append(contentsOf: bytes)
            case .event(let subscription, let event):
                waitingBytes -= event.tail.count
                if let level = event.level {
                    subscription.waitingLevels[level] = nil
                } else {
                    _ = subscription.waitingEvents.popFirst()
                }
                write(event, of: subscription)
            case .hole:
                holes -= 1
            }
            entries[head] = .hole
            head += 1
        }
        if head == entries.count {
            base += UInt64(entries.count)
            entries.removeAll(keepingCapacity: entries.capacity <= 4096)
            head = 0
            for subscription in holding { subscription.release() }
            holding = []
            // Whoever lost its newest events has no later one to be told by. While there is no room, more may be lost.
            guard writer.bytes.count - written < Outbox.encodedBytes else { return }
            for subscription in lagging.values {
                if let lag = subscription.takeLag(before: .max) { subscription.write(lag, to: &writer) }
            }
            lagging = [:]
        } else if head > Outbox.holesKept, head > entries.count / 2 {
            base += UInt64(head)
            entries.removeSubrange(..<head)
            head = 0
        }
    }

    private func write(_ event: EncodedEvent, of subscription: Subscription) {
        // The last words of a subscription come after everything, even after the event of the same cursor.
        let cursor = event.mustArrive ? .max : event.cursor
        if let lag = subscription.takeLag(before: cursor) { subscription.write(lag, to: &writer) }
        subscription.write(event, to: &writer)
    }

    private func lose(_ cursor: UInt64, of subscription: Subscription) {
        if subscription.lose(cursor: cursor) { lagging[ObjectIdentifier(subscription)] = subscription }
    }

    private func drop(at waiting: Waiting) {
        let index = Int(waiting.position - base)
        guard case .event(_, let event) = entries[index] else { return }
        waitingBytes -= event.tail.count
        entries[index] = .hole
        holes += 1
        if holes > Outbox.holesKept, holes > (entries.count - head) / 2 { closeHoles() }
    }

    /// Takes the holes out; what waits keeps its order and gets new positions.
    private func closeHoles() {
        base += UInt64(entries.count)
        var kept: [Entry] = []
        kept.reserveCapacity(entries.count - head - holes)
        var seen: Set<ObjectIdentifier> = []
        for entry in entries[head...] {
            switch entry {
            case .hole: continue
            case .reply: break
            case .event(let subscription, let event):
                if seen.insert(ObjectIdentifier(subscription)).inserted {
                    subscription.waitingEvents.removeAll()
                    subscription.waitingLevels.removeAll()
                }
                let waiting = Waiting(position: base + UInt64(kept.count), cursor: event.cursor)
                if let level = event.level {
                    subscription.waitingLevels[level] = waiting
                } else {
                    subscription.waitingEvents.append(waiting)
                }
            }
            kept.append(entry)
        }
        entries = kept
        head = 0
        holes = 0
    }
}

/// Where an event waits, and which it is.
struct Waiting {
    let position: UInt64
    let cursor: UInt64
}
