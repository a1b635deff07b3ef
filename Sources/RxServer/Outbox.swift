internal import RxHost
internal import RxJSON

/// The way out of a connection: bounded and ordered.
///
/// Messages are encoded into one buffer while it has room. When the peer reads too slowly, replies and events wait as
/// entries: replies are never dropped (the connection stops reading instead); events are dropped and counted, each
/// subscription's against its own bound; only the newest value of a level waits.
final class Outbox {
    /// Encoded bytes above which events wait as entries, where they can still be dropped or replaced: as many as one
    /// batch may have.
    static let encodedBytes = EventBatch.blockBytes
    /// Bytes given to the kernel in one turn, so that one reader of much cannot hold up the others.
    static let batchBytes = 262_144

    /// The limit applies this many times to events whose work is held back, since some come before it has stopped.
    private static let pacedShare = 4
    /// The part of the limit that such events have while the user has too much waiting: streams of 256 connections must
    /// not add much to it.
    private static let squeezedPart = 8

    // All of it is used on the loop alone. While any of it changes, nothing is called but the writer of a message,
    // which does not know the outbox: hence no dynamic checks of overlapping accesses.

    /// Has a buffer only while there is something to write.
    @exclusivity(unchecked) private var writer = JSONWriter(reserving: 0)
    private let spares: SpareBuffers
    @exclusivity(unchecked) private var written = 0
    /// Sent after the encoded bytes and before anything that waits.
    @exclusivity(unchecked) private var text: SharedText?
    @exclusivity(unchecked) private var waiting = WaitingEntries()
    /// Streams that hold back their work.
    @exclusivity(unchecked) private var holding: [Subscription] = []
    /// Subscriptions that lost events which no `lag` may have reported.
    @exclusivity(unchecked) private var lagging: [ObjectIdentifier: Subscription] = [:]
    private let limit: Int
    private let account: Account?
    private let dropped: DroppedEvents
    @exclusivity(unchecked) private var isDiscarding = false

    /// - Parameters:
    ///   - limit: the memory, in bytes, that may wait before the outbox is full.
    ///   - account: of the peer's user, who may have too much waiting elsewhere.
    init(limit: Int, account: Account? = nil, spares: SpareBuffers, dropped: DroppedEvents) {
        self.limit = limit
        self.account = account
        self.spares = spares
        self.dropped = dropped
    }

    // MARK: Room

    var isEmpty: Bool { written == writer.bytes.count && text == nil && waiting.isEmpty && lagging.isEmpty }

    /// The memory of what the peer has not taken, in bytes.
    var bytes: Int { writer.bytes.count - written + (text?.left ?? 0) + waiting.bytes }

    /// The bytes of memory in use: `bytes`, and the part of a long message that the peer has taken, which is freed at
    /// the end of the message.
    var memory: Int {
        let encoded = writer.bytes.count
        return (encoded > Self.encodedBytes ? encoded : encoded - written) + (text?.memory ?? 0) + waiting.bytes
    }

    /// Whether the peer's user has more waiting than one user may: then there is no room for anything more.
    private var isSqueezed: Bool { account?.isOverLimit ?? false }
    private var effectiveLimit: Int { isSqueezed ? 0 : limit }

    /// Whether requests should wait until the peer has read some of the answers.
    var isFull: Bool { bytes > 0 && bytes >= effectiveLimit }

    /// Whether a stream holds back its work until the peer has read on.
    var isHolding: Bool { !holding.isEmpty }

    private var hasEncodingRoom: Bool { text == nil && writer.bytes.count - written < Outbox.encodedBytes }

    /// Whether as much is encoded as may be, and nothing waits behind it yet.
    var isEncodedFull: Bool { waiting.isEmpty && !hasEncodingRoom }

    /// Whether a missed event may be written now: nothing waits that it would overtake.
    var hasRoom: Bool { waiting.isEmpty && lagging.isEmpty && hasEncodingRoom }

    /// The peer took too long: from here on its events are dropped like everyone's.
    func stopHolding() {
        for subscription in holding { subscription.stopPacing() }
        holding = []
    }

    /// Drops what waits and, from now on, what comes.
    func discard() {
        isDiscarding = true
        stopHolding()
        writer = JSONWriter(reserving: 0)
        written = 0
        text = nil
        waiting = WaitingEntries()
        lagging = [:]
    }

    // MARK: What goes in

    /// Appends one message; `body` writes it.
    func reply(_ body: (inout JSONWriter) -> Void) {
        guard !isDiscarding else { return }
        if waiting.isEmpty, text == nil {
            takeBuffer()
            body(&writer)
            writer.endLine()
        } else {
            var own = JSONWriter()
            body(&own)
            own.endLine()
            waiting.append(reply: own.bytes)
        }
    }

    /// Appends one message that is written when there is room for it.
    ///
    /// - Parameter bytes: about how long it is.
    func reply(bytes: Int, later body: @escaping (inout JSONWriter) -> Void) {
        guard waiting.isEmpty, hasEncodingRoom || isDiscarding else { return waiting.append(bytes: bytes, later: body) }
        reply(body)
    }

    /// Appends one message, with its newline, that has texts in it which other connections may send too.
    func reply(_ line: SplitText) {
        guard !isDiscarding else { return }
        for (part, text) in zip(line.frame, line.texts) {
            waiting.append(reply: part)
            waiting.append(text: text)
        }
        waiting.append(reply: line.frame[line.frame.count - 1])
    }

    /// Writes an event that was kept elsewhere, for which there is room.
    func writeMissed(_ event: EncodedEvent, of subscription: Subscription) {
        guard !isDiscarding else { return }
        takeBuffer()
        // One text can follow the encoded bytes; one before it becomes a part of them.
        text?.append(to: &writer)
        text = subscription.writeMissed(event, to: &writer)
    }

    /// Writes events that were kept elsewhere, for which there is room, and encoded where they were read.
    func writeMissed(_ events: EncodedEvents, of subscription: Subscription) {
        guard !isDiscarding else { return }
        takeBuffer()
        text?.append(to: &writer)
        text = subscription.writeMissed(events, to: &writer)
    }

    /// Appends what is left of lines that nothing precedes.
    func append(_ rest: UnsafeRawBufferPointer) {
        guard !isDiscarding else { return }
        takeBuffer()
        writer.bytes.append(contentsOf: rest)
    }

    /// Appends an event of `subscription`, and makes room for it if there is none.
    ///
    /// - Returns: whether there was room, or what was dropped is counted; if not, the subscription is to end.
    func event(_ event: EncodedEvent, of subscription: Subscription) -> Bool {
        guard !isDiscarding else { return true }
        let mayBeLong = mayBeLong(event)
        if waiting.isEmpty, hasEncodingRoom, mayBeLong {
            takeBuffer()
            text = subscription.write(event, to: &writer)
            return true
        }
        var event = event
        if let level = event.level {
            if let place = subscription.lane.place(of: level) {
                waiting.drop(at: place.position)
                // A difference from the dropped state is of no use any more.
                if event.whole != nil { event = event.asWhole }
            }
        } else if let pace = subscription.pace, !pace.isHolding && mayBeLong || mayWait(event) {
            // What the work has yielded waits; the work goes on when it has been read.
            if pace.hold() { holding.append(subscription) }
        } else if !event.mustArrive {
            guard makeRoom(for: event, of: subscription) else {
                guard subscription.overflow != .end else { return false }
                lose(event.cursor, of: subscription)
                return true
            }
        }
        waiting.append(event, of: subscription)
        return true
    }

    /// Whether an event may take the memory that it takes: a long one is not written while its user has too much
    /// waiting, even if nothing waits here. A level has got its room before, and is replaced by the next one.
    private func mayBeLong(_ event: EncodedEvent) -> Bool {
        event.tail.count < SharedText.least || event.level != nil || event.mustArrive || !isSqueezed
    }

    /// Drops a level if it waits.
    func drop(_ level: EncodedEvent.Level, of subscription: Subscription) {
        guard let place = subscription.lane.place(of: level) else { return }
        waiting.drop(at: place.position)
        subscription.lane.forget(level)
    }

    /// Whether another event may wait that came although its work is held back. Such work stops soon; if it does not,
    /// because it cannot wait, its events are dropped like those of others.
    private func mayWait(_ event: EncodedEvent) -> Bool {
        let most = isSqueezed ? limit / Outbox.squeezedPart : Outbox.pacedShare * limit
        return bytes + WaitingEntries.cost(of: event.waitingBytes) <= most
    }

    private func makeRoom(for event: EncodedEvent, of subscription: Subscription) -> Bool {
        func hasRoom() -> Bool {
            subscription.lane.count < subscription.buffer
                && bytes + WaitingEntries.cost(of: event.waitingBytes) <= effectiveLimit
        }
        switch subscription.overflow {
        case .dropOldest:
            while !hasRoom(), let oldest = subscription.lane.popFirst() {
                waiting.drop(at: oldest.position)
                lose(oldest.cursor, of: subscription)
            }
            return hasRoom()
        case .dropNewest:
            // After a loss everything is lost until the client has read all before it, so that one lag reports one gap.
            return (!subscription.isLagging || subscription.lane.count == 0) && hasRoom()
        case .end:
            return hasRoom()
        }
    }

    private func lose(_ cursor: UInt64, of subscription: Subscription) {
        dropped.count += 1
        if subscription.lose(cursor: cursor) { lagging[ObjectIdentifier(subscription)] = subscription }
    }

    private func takeBuffer() {
        if writer.bytes.capacity == 0 { writer.bytes = spares.take() }
    }

    // MARK: What goes out

    /// Writes what the transport takes now.
    ///
    /// - Returns: how many bytes it took.
    func flush(to transport: any Transport) -> Int {
        var room = Outbox.batchBytes
        repeat {
            encodeWaiting()
        } while room > 0 && writeNext(to: transport, &room)
        return Outbox.batchBytes - room
    }

    /// Writes the encoded bytes or, if there are none, the text.
    ///
    /// - Parameter room: bytes that may still be written in this turn.
    /// - Returns: whether all of the one or the other is gone.
    private func writeNext(to transport: any Transport, _ room: inout Int) -> Bool {
        if written < writer.bytes.count {
            let count = writer.bytes.withUnsafeBytes { transport.write($0[written...].atMost(room)) }
            written += count
            room -= count
            guard written == writer.bytes.count else {
                closeGap()
                return false
            }
            written = 0
            spares.give(&writer.bytes)
            return true
        }
        guard let count = text?.write(to: transport, atMost: room) else { return false }
        room -= count
        guard text?.left == 0 else { return false }
        text = nil
        return true
    }

    /// Gives up the bytes that are written once they are most of the buffer, so that each byte is moved at most once.
    private func closeGap() {
        guard written > Outbox.encodedBytes, written > writer.bytes.count / 2 else { return }
        writer.bytes.removeSubrange(..<written)
        written = 0
    }

    /// Moves entries into the buffer while it has room.
    private func encodeWaiting() {
        guard !waiting.isEmpty || !lagging.isEmpty || !holding.isEmpty else { return }
        takeBuffer()
        while hasEncodingRoom, let entry = waiting.popFirst() {
            switch entry {
            case .reply(let bytes): writer.bytes.append(contentsOf: bytes)
            case .text(let bytes): text = SharedText(bytes)
            case .later(_, let body):
                body(&writer)
                writer.endLine()
            case .event(let subscription, let event): text = subscription.write(event, to: &writer)
            case .hole: break
            }
        }
        waiting.compact()
        guard waiting.isEmpty else { return }
        for subscription in holding { subscription.pace?.release() }
        holding = []
        // A subscription that lost its newest events has no later one to carry the report. While there is no room, more
        // may be lost.
        guard hasEncodingRoom else { return }
        for subscription in lagging.values { subscription.writeLag(before: .max, to: &writer) }
        lagging = [:]
    }
}
