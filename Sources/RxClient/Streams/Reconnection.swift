internal import Glibc
public import RxJSON
public import RxProtocol

/// The continuation of a subscription over another connection.
public struct Reconnection: Sendable {
    /// When the daemon answered, by this machine's clock.
    public let time: Timestamp
    /// The cursor of the last event received before; nil if not even the reply to the first request was.
    public let after: String?
    /// Whether the stream continues right after that event, with nothing missing. Otherwise an unknown number of events
    /// is missing.
    public let isResumed: Bool
    /// The cursor from which the stream continues.
    public let cursor: String?
    /// The levels at `cursor`.
    public let snapshot: RawJSON?

    package init(time: Timestamp, after: String?, isResumed: Bool, cursor: String?, snapshot: RawJSON?) {
        self.time = time
        self.after = after
        self.isResumed = isResumed
        self.cursor = cursor
        self.snapshot = snapshot
    }

    /// The reconnection as a record among those of events: an object with the channel `reconnect`, the time, and a
    /// value with `after`, `resumed`, `cursor`, and, if events are missing, the `snapshot`.
    public var record: RawJSON {
        var writer = JSONWriter()
        writer.object { writer in
            writer.field("channel", "reconnect")
            writer.field("time", time.description)
            writer.key("value")
            writer.object { writer in
                write(after, "after", to: &writer)
                writer.field("resumed", isResumed)
                write(cursor, "cursor", to: &writer)
                if !isResumed, let snapshot { writer.field("snapshot", snapshot) }
            }
        }
        return RawJSON(unchecked: writer.bytes)
    }

    private func write(_ text: String?, _ key: StaticString, to writer: inout JSONWriter) {
        writer.key(key)
        if let text { writer.string(text) } else { writer.null() }
    }
}

extension Timestamp {
    /// The present time by this machine's clock.
    package static var now: Timestamp {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Timestamp(milliseconds: Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000)
    }
}
