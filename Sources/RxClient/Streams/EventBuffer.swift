internal import RxJSON
internal import RxProtocol

/// The events of a stream that its consumer has not taken yet, in bounded memory.
///
/// Beyond `limit` and `mostBytes` the daemon's own rules apply here too: levels are coalesced to their newest value,
/// events are dropped, and one `lag` event counts them and names the first and the last cursor. `end` is never dropped.
/// Neither is a gap, but several gaps become one.
struct EventBuffer {
    /// Most events. Enough for the burst of a fast action during the milliseconds that the consumer's task may wait for
    /// its turn. Levels come on top, one per source and channel.
    static let limit = 16_384
    /// Most bytes. An event may be as long as a line, so a limit on their number alone bounds nothing.
    static let mostBytes = 8 << 20

    private struct Level: Hashable {
        let source: String?
        let channel: Channel
    }

    fileprivate struct Lag {
        var dropped = 0
        /// Whether the daemon does not know how many events are missing beside these.
        var isUnknown = false
        var first: String?
        var last: String?
        var seq = 0
        var subscription = ""
    }

    private var elements: [StreamElement] = []
    private var bytes = 0
    private var lag: Lag?
    private var levels: [Level: StreamEvent] = [:]
    private var gap: Reconnection?
    private var end: StreamEvent?

    var isEmpty: Bool { elements.isEmpty && end == nil }

    mutating func append(_ event: StreamEvent) {
        if event.channel == .end {
            end = event
        } else if lag == nil, elements.count < EventBuffer.limit,
            elements.isEmpty || bytes + event.record.utf8.count <= EventBuffer.mostBytes
        {
            elements.append(.event(event))
            bytes += event.record.utf8.count
        } else {
            // Once something is dropped, everything goes here until the buffer is taken, so that `lag` is in its place.
            var lag = self.lag ?? Lag()
            if event.isCoalescing {
                levels[Level(source: event.source, channel: event.channel)] = event
            } else {
                lag.add(event)
            }
            self.lag = lag
        }
    }

    mutating func append(gap new: Reconnection) {
        if lag == nil, elements.count < EventBuffer.limit {
            elements.append(.gap(new))
        } else {
            lag = lag ?? Lag()
            gap = gap.map { new.including($0) } ?? new
            // The gap's snapshot replaces them.
            levels = [:]
        }
    }

    /// All of it, in order, leaving the buffer empty.
    mutating func take() -> [StreamElement] {
        var all = elements
        if let lag, lag.dropped > 0 || lag.isUnknown {
            all.append(.event(lag.event()))
        }
        if let gap {
            all.append(.gap(gap))
        }
        all.append(contentsOf: levels.values.sorted { $0.seq < $1.seq }.map { .event($0) })
        if let end {
            all.append(.event(end))
        }
        self = EventBuffer()
        return all
    }
}

extension StreamEvent {
    /// Whether a newer event replaces it. A patch cannot be replaced: the next one builds on it.
    fileprivate var isCoalescing: Bool {
        guard case .value = content else { return false }
        switch channel {
        case .executing, .enabled, .state: return true
        case .elements, .errors, .executions, .firings, .lag, .end: return false
        }
    }
}

extension Reconnection {
    /// This reconnection, merged with an earlier one that was not delivered.
    fileprivate func including(_ earlier: Reconnection) -> Reconnection {
        Reconnection(time: time, after: earlier.after, isResumed: false, cursor: cursor, snapshot: snapshot)
    }
}

extension EventBuffer.Lag {
    /// Counts a dropped event; a `lag` event of the daemon counts as many as it reports.
    mutating func add(_ event: StreamEvent) {
        seq = event.seq
        subscription = event.subscription
        if event.channel == .lag, let lag = event.value?.value() {
            if let count = lag["dropped"]?.int { dropped += count } else { isUnknown = true }
            first = first ?? lag["first"]?.string
            last = lag["last"]?.string ?? last
        } else {
            dropped += 1
            first = first ?? event.cursor
            last = event.cursor ?? last
        }
    }

    func event() -> StreamEvent {
        var value = JSONWriter()
        value.beginObject()
        value.key("dropped")
        if isUnknown { value.null() } else { value.int(dropped) }
        if let first {
            value.key("first")
            value.string(first)
        }
        if let last {
            value.key("last")
            value.string(last)
        }
        value.endObject()
        let content = RawJSON(unchecked: value.bytes)
        var record = JSONWriter()
        record.beginObject()
        record.key("seq")
        record.int(seq)
        record.key("channel")
        record.string(Channel.lag.rawValue)
        record.key("value")
        record.raw(content)
        record.endObject()
        return StreamEvent(
            subscription: subscription, seq: seq, channel: .lag, cursor: last, content: .value(content),
            record: RawJSON(unchecked: record.bytes))
    }
}
