/// Events of an execution as they were recorded up to some moment, oldest first. Whatever is recorded later shares them
/// and does not change them.
package struct RecordedEvents: Sendable, Sequence {
    private(set) var chunks: ArraySlice<RecordedChunk>
    /// The events at the begin of the first chunk that are not among these.
    private var dropped: Int
    /// The number of events.
    package private(set) var count: Int

    init(_ chunks: [RecordedChunk] = [], dropping dropped: Int = 0, _ count: Int = 0) {
        self.chunks = chunks[...]
        self.dropped = dropped
        self.count = count
    }

    /// Events that were not recorded.
    init(_ events: [HostEvent]) {
        self.init(events.isEmpty ? [] : [RecordedChunk(events)], events.count)
    }

    package var isEmpty: Bool { count == 0 }
    package var first: HostEvent? { isEmpty ? nil : chunks.first?[dropped] }

    /// Adds an event after those of an execution that has ended.
    mutating func append(_ event: HostEvent) {
        chunks.append(RecordedChunk([event]))
        count += 1
    }

    /// Removes and returns the next events, at most `most` and until they have `bytes` bytes.
    mutating func take(_ most: Int, bytes: Int) -> [HostEvent] {
        var taken: [HostEvent] = []
        var left = bytes
        while taken.count < most, left > 0, let event = first {
            taken.append(event)
            left -= event.cost
            removeFirst()
        }
        return taken
    }

    private mutating func removeFirst() {
        dropped += 1
        count -= 1
        // The last one may grow.
        guard chunks.count > 1, dropped == chunks.first?.count else { return }
        chunks.removeFirst()
        dropped = 0
    }

    package struct Iterator: IteratorProtocol {
        fileprivate var rest: RecordedEvents

        package mutating func next() -> HostEvent? {
            guard let event = rest.first else { return nil }
            rest.removeFirst()
            return event
        }
    }

    package func makeIterator() -> Iterator { Iterator(rest: self) }
}

/// Successive events of a recording, which only grows.
// Unchecked: an event is written with the log's lock held, before anyone who reads it knows that it is there, and never
// changed.
final class RecordedChunk: @unchecked Sendable {
    /// Enough that a long recording has few of them.
    private static let most = 64
    /// A chunk with so many bytes is full, so that little is kept which was dropped.
    private static let mostBytes = 16_384

    /// The most events that it takes.
    private let capacity: Int
    private let events: UnsafeMutablePointer<HostEvent>
    @exclusivity(unchecked) private(set) var count = 0
    @exclusivity(unchecked) private var bytes = 0

    /// - Parameter recorded: the number of events that are recorded: a short recording takes little memory.
    init(after recorded: Int) {
        capacity = Swift.min(Swift.max(recorded, 2), Self.most)
        events = .allocate(capacity: capacity)
    }

    init(_ all: [HostEvent]) {
        capacity = all.count
        events = .allocate(capacity: capacity)
        for event in all { append(event) }
    }

    deinit {
        events.deinitialize(count: count)
        events.deallocate()
    }

    var hasRoom: Bool { count < capacity && bytes < Self.mostBytes }

    func append(_ event: HostEvent) {
        (events + count).initialize(to: event)
        count += 1
        bytes += event.recordedBytes
    }

    subscript(index: Int) -> HostEvent { events[index] }
}
