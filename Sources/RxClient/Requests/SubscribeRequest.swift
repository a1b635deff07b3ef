internal import RxJSON
public import RxProtocol

/// The parameters of `subscribe`.
public struct SubscribeRequest: Sendable, Equatable {
    /// The objects whose events are received.
    public enum Target: Sendable, Equatable {
        /// Names of actions, or `"*"` alone for all present and future ones.
        case action([String])
        /// Names of reactors, or `"*"` alone for all present and future ones.
        case reactor([String])
        /// Names of streams, or `"*"` alone for all present and future ones.
        case stream([String])
        /// Ids of executions; the subscription ends when the last of them has ended.
        case execution([String])
    }

    /// The first event that is received.
    public enum Start: Sendable, Equatable {
        /// The next event.
        case now
        /// The newest event of each channel that the daemon still has.
        case last
        /// The oldest event that the daemon still has.
        case start
        /// The first event since this time, or the oldest that the daemon still has.
        case time(Timestamp)
        /// The event after this cursor. If the daemon does not have all of them any more: see `fallback`.
        case cursor(String)
        /// The acceptance of this execution.
        case execution(String)
        /// The start of the executions in flight.
        case executing
    }

    /// What the daemon does when more than `buffer` events wait for a slow reader.
    public enum Overflow: String, Sendable, CaseIterable {
        /// Drops the oldest event, and counts it in an event on `lag`.
        case dropOldest = "drop-oldest"
        /// Drops the newest event, and counts it in an event on `lag`.
        case dropNewest = "drop-newest"
        /// Ends the subscription with the reason `limit`.
        case end
    }

    /// The objects whose events are received.
    public var target: Target
    /// The channels to receive; empty: the daemon's default.
    public var channels: [Channel]
    /// The first event that is received.
    public var from: Start
    /// Whether the subscription ends, with the reason `caughtUp`, once all that the daemon still has after `from` came.
    public var endsCaughtUp = false
    /// What becomes of a cursor in `from` that has expired. With nil, the request is refused with `cursorExpired`.
    /// Otherwise the stream begins with a gap, and with all that the daemon still has after the cursor; with `fallback`
    /// if the cursor is of a log that the daemon does not know.
    public var fallback: Start?
    /// How many events the daemon keeps for a slow reader; nil: its default.
    public var buffer: Int?
    /// What the daemon does with more events; nil: its default, which is to drop the oldest.
    public var overflow: Overflow?
    /// Whether a reactor's states come as patches of the ones before, where a patch is shorter.
    public var patch = false
    /// The step of the one stream whose output is received; nil for the stream itself.
    public var step: String?

    /// A request with these parameters; states come whole.
    public init(
        _ target: Target, channels: [Channel] = [], from: Start = .now, buffer: Int? = nil, overflow: Overflow? = nil
    ) {
        self.target = target
        self.channels = channels
        self.from = from
        self.buffer = buffer
        self.overflow = overflow
    }

    /// A request for the events of actions from now on.
    public init(action names: [String], channels: [Channel] = [], buffer: Int? = nil) {
        self.init(.action(names), channels: channels, buffer: buffer)
    }

    func params(subscription: String) -> RawJSON {
        var writer = JSONWriter()
        writer.beginObject()
        writer.field("subscription", subscription)
        switch target {
        case .action(let names): write(names, "action", to: &writer)
        case .reactor(let names): write(names, "reactor", to: &writer)
        case .stream(let names): write(names, "stream", to: &writer)
        case .execution(let ids): write(ids, "execution", to: &writer)
        }
        if let step { writer.field("step", step) }
        if !channels.isEmpty {
            writer.array("channels") { writer in
                for channel in channels { writer.string(channel.rawValue) }
            }
        }
        switch from {
        case .now: break
        case .last: writer.field("from", "last")
        case .start: writer.field("from", "start")
        case .time(let time):
            writer.key("from")
            writer.object { $0.field("time", time.description) }
        case .executing: writer.field("from", "execution")
        case .cursor(let cursor):
            writer.key("from")
            writer.object { $0.field("cursor", cursor) }
        case .execution(let id):
            writer.key("from")
            writer.object { $0.field("execution", id) }
        }
        if endsCaughtUp { writer.field("until", "now") }
        if let buffer { writer.field("buffer", buffer) }
        if let overflow { writer.field("overflow", overflow.rawValue) }
        if patch { writer.field("patch", true) }
        writer.endObject()
        return RawJSON(unchecked: writer.bytes)
    }

    private func write(_ names: [String], _ key: StaticString, to writer: inout JSONWriter) {
        if names.count == 1 {
            writer.field(key, names[0])
        } else {
            writer.array(key) { writer in
                for name in names { writer.string(name) }
            }
        }
    }
}
