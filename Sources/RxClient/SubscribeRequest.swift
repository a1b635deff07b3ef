internal import RxJSON
public import RxProtocol

/// What is asked of `subscribe`.
public struct SubscribeRequest: Sendable, Equatable {
    public enum Target: Sendable, Equatable {
        /// Names of actions, or `"*"` alone for all there are and will be.
        case actions([String])
        /// Names of reactors, or `"*"` alone likewise.
        case reactors([String])
        /// Ids of executions; the subscription ends with the last of them.
        case executions([String])
    }

    /// Where the events begin.
    public enum Start: Sendable, Equatable {
        /// With what happens next.
        case now
        /// With the newest event of each channel that the daemon still has.
        case last
        /// After this cursor, or not at all: `cursorExpired` if the daemon does not have all of them any more.
        case cursor(String)
        /// With the acceptance of this execution.
        case execution(String)
        /// With the start of what is in flight.
        case executing
    }

    /// What the daemon does when more than `buffer` events wait for a slow reader.
    public enum Overflow: String, Sendable, CaseIterable {
        case dropOldest = "drop-oldest"
        case dropNewest = "drop-newest"
        case end
    }

    public var target: Target
    /// Empty: the daemon's default.
    public var channels: [Channel]
    public var start: Start
    /// Events the daemon keeps while the connection is slow; nil: its default.
    public var buffer: Int?
    /// Nil: the daemon's default, which is to drop the oldest.
    public var overflow: Overflow?
    /// Of reactors: whether states come as patches from the ones before, where that is less.
    public var patches = false

    public init(
        _ target: Target, channels: [Channel] = [], start: Start = .now, buffer: Int? = nil, overflow: Overflow? = nil
    ) {
        self.target = target
        self.channels = channels
        self.start = start
        self.buffer = buffer
        self.overflow = overflow
    }

    public init(actions: [String], channels: [Channel] = [], buffer: Int? = nil) {
        self.init(.actions(actions), channels: channels, buffer: buffer)
    }

    func params(subscription: String) -> RawJSON {
        var writer = JSONWriter()
        writer.beginObject()
        writer.field("subscription", subscription)
        switch target {
        case .actions(let names): write(names, "action", to: &writer)
        case .reactors(let names): write(names, "reactor", to: &writer)
        case .executions(let ids): write(ids, "execution", to: &writer)
        }
        if !channels.isEmpty {
            writer.array("channels") { writer in
                for channel in channels { writer.string(channel.rawValue) }
            }
        }
        switch start {
        case .now: break
        case .last: writer.field("from", "last")
        case .executing: writer.field("from", "execution")
        case .cursor(let cursor):
            writer.key("from")
            writer.object { $0.field("cursor", cursor) }
        case .execution(let id):
            writer.key("from")
            writer.object { $0.field("execution", id) }
        }
        if let buffer { writer.field("buffer", buffer) }
        if let overflow { writer.field("overflow", overflow.rawValue) }
        if patches { writer.field("patch", true) }
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
