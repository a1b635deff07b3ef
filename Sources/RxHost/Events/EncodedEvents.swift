/// Events of a page in their order, as the bytes that their reader sends. They were encoded where the page was read, so
/// that the reader's thread only copies them.
public struct EncodedEvents: Sendable {
    /// The bytes after which a block of events ends: what the loop copies and writes in about 20 µs.
    static let blockBytes = 16_384
    /// An event with so many bytes has a block of its own, so that it can be sent without a copy.
    static let longBytes = 16_384

    /// Where an event lies in the block.
    struct Event: Sendable {
        let cursor: UInt64
        let kind: EventKinds
        /// The place of its name in the reader's source.
        let slot: Int
        let begin: Int
        let end: Int
    }

    private let block: [UInt8]
    private(set) var events: ArraySlice<Event>

    /// - Parameter events: at least one.
    init(_ block: [UInt8], _ events: ArraySlice<Event>) {
        self.block = block
        self.events = events
    }

    /// The number of events.
    public var count: Int { events.count }

    /// The bytes of all events.
    public var byteCount: Int { last.end - first.begin }

    /// The bytes, if there is one event and the block has no other.
    public var single: [UInt8]? { events.count == 1 && byteCount == block.count ? block : nil }

    /// Calls `body` with the bytes of each event, in their order.
    public func forEach(_ body: (UnsafeRawBufferPointer) -> Void) {
        block.withUnsafeBytes { block in
            for event in events { body(UnsafeRawBufferPointer(rebasing: block[event.begin..<event.end])) }
        }
    }

    // There is at least one.
    var first: Event { events[events.startIndex] }
    var last: Event { events[events.endIndex - 1] }

    /// The events after `cursor`; nil if there are none.
    func after(_ cursor: UInt64) -> EncodedEvents? {
        if cursor < first.cursor { return self }
        let rest = events[index(after: cursor)...]
        return rest.isEmpty ? nil : EncodedEvents(block, rest)
    }

    /// The event at this index alone.
    func one(_ index: Int) -> EncodedEvents { EncodedEvents(block, events[index...index]) }

    /// Whether an event has this number.
    func contains(_ number: UInt64) -> Bool {
        let index = index(after: number)
        return index > events.startIndex && events[index - 1].cursor == number
    }

    /// The index of the first event after `cursor`.
    private func index(after cursor: UInt64) -> Int {
        var (low, high) = (events.startIndex, events.endIndex)
        while low < high {
            let middle = (low + high) / 2
            if events[middle].cursor > cursor { high = middle } else { low = middle + 1 }
        }
        return low
    }
}

/// Encodes the events of one page as their reader sends them. Used from one thread.
public protocol PageEncoder: AnyObject {
    /// Appends the bytes of an event.
    ///
    /// - Returns: false, and nothing is appended, if it can only be encoded when it is sent.
    func append(_ event: HostEvent, to bytes: inout [UInt8]) -> Bool
}

/// Puts the events of a page into blocks.
struct BlockBuilder {
    private let encoder: any PageEncoder
    private var bytes: [UInt8] = []
    private var events: [EncodedEvents.Event] = []

    init(_ encoder: any PageEncoder) {
        self.encoder = encoder
        bytes.reserveCapacity(EncodedEvents.blockBytes + EncodedEvents.longBytes)
    }

    /// Adds an event.
    ///
    /// - Parameter blocks: receives the blocks that are complete.
    /// - Returns: whether it could be encoded.
    mutating func append(_ event: HostEvent, slot: Int, to blocks: inout [CatchUpPage.Item]) -> Bool {
        let begin = bytes.count
        guard encoder.append(event, to: &bytes) else { return false }
        let isLong = bytes.count - begin >= EncodedEvents.longBytes
        if isLong, begin > 0 {
            let long = Array(bytes[begin...])
            bytes.removeSubrange(begin...)
            finish(to: &blocks)
            bytes += long
        }
        events.append(
            EncodedEvents.Event(
                cursor: event.cursor, kind: event.kind, slot: slot, begin: isLong ? 0 : begin, end: bytes.count))
        if isLong || bytes.count >= EncodedEvents.blockBytes { finish(to: &blocks) }
        return true
    }

    /// Ends the block, if one has begun.
    mutating func finish(to blocks: inout [CatchUpPage.Item]) {
        guard !events.isEmpty else { return }
        // Copies, which have no room that nothing uses.
        let block = bytes.withUnsafeBufferPointer { Array($0) }
        blocks.append(.encoded(EncodedEvents(block, events.withUnsafeBufferPointer { Array($0) }[...])))
        bytes.removeAll(keepingCapacity: bytes.capacity <= 2 * EncodedEvents.blockBytes)
        events.removeAll(keepingCapacity: true)
    }
}
