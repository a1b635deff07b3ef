internal import RxJSON
internal import RxProtocol

/// What a stream brought and its consumer has not taken yet, in bounded memory.
///
/// Beyond `limit` the daemon's own rules go on at this end: levels are coalesced to their newest value, events are
/// dropped, and one `lag` event tells how many and between which cursors. `end` is never dropped.
struct EventBuffer {
    /// As many events as the daemon keeps by default. Levels come on top, one per source and channel.
    static let limit = Limits().buffer

    private struct Level: Hashable {
        let source: String?
        let channel: Channel
    }

    fileprivate struct Lag {
        var dropped = 0
        var first: String?
        var last: String?
        var sequence = 0
    }

    private var events: [StreamEvent] = []
    private var lag: Lag?
    private var levels: [Level: StreamEvent] = [:]
    private var end: StreamEvent?

    var isEmpty: Bool { events.isEmpty && end == nil }

    mutating func append(_ event: StreamEvent) {
        if event.channel == .end {
            end = event
        } else if lag == nil, events.count < EventBuffer.limit {
            events.append(event)
        } else {
            // From here on until they are taken, even where there is room: a gap is told once, in its place.
            var lag = self.lag ?? Lag()
            if event.isCoalescing {
                levels[Level(source: event.source, channel: event.channel)] = event
            } else {
                lag.add(event)
            }
            self.lag = lag
        }
    }

    /// All of it, in order, leaving the buffer empty.
    mutating func take() -> [StreamEvent] {
        var all = events
        if let lag, lag.dropped > 0 {
            all.append(lag.event(subscription: events.last?.subscription ?? ""))
        }
        all.append(contentsOf: levels.values.sorted { $0.sequence < $1.sequence })
        if let end {
            all.append(end)
        }
        self = EventBuffer()
        return all
    }
}

extension StreamEvent {
    /// Whether only the newest of its kind counts. A patch does not: it builds on the one before.
    fileprivate var isCoalescing: Bool {
        guard case .value = content else { return false }
        switch channel {
        case .executing, .enabled, .state: return true
        case .elements, .errors, .executions, .lag, .end: return false
        }
    }
}

extension EventBuffer.Lag {
    /// Counts a dropped event; the daemon's own `lag` counts as many as it tells of.
    mutating func add(_ event: StreamEvent) {
        sequence = event.sequence
        if event.channel == .lag, let told = event.value?.value() {
            dropped += told["dropped"]?.int ?? 0
            first = first ?? told["first"]?.string
            last = told["last"]?.string ?? last
        } else {
            dropped += 1
            first = first ?? event.cursor
            last = event.cursor ?? last
        }
    }

    func event(subscription: String) -> StreamEvent {
        var value = JSONWriter()
        value.beginObject()
        value.key("dropped")
        value.int(dropped)
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
        record.int(sequence)
        record.key("channel")
        record.string(Channel.lag.rawValue)
        record.key("value")
        record.raw(content)
        record.endObject()
        return StreamEvent(
            subscription: subscription, sequence: sequence, channel: .lag, cursor: last, content: .value(content),
            record: RawJSON(unchecked: record.bytes))
    }
}
