public import JSONRPC
public import RxJSON
public import RxProtocol

/// One event of a stream, opened by `subscribe` or by `execute` with a stream.
public struct StreamEvent: Sendable {
    /// The payload of an event; on the wire an event has at most one of these members.
    public enum Content: Sendable {
        /// An element, the new value of a level, or facts about the stream.
        case value(RawJSON)
        /// An error of the work.
        case error(RPCError)
        /// An RFC 6902 patch of a reactor's state, from the revision sent before.
        case patch(RawJSON)
        /// No member that this release knows.
        case nothing
    }

    /// The client's name for the stream.
    public let subscription: String
    /// 1, 2, 3, … in each stream and connection; an event on `lag` counts dropped events.
    public let seq: Int
    /// The channel that the event belongs to.
    public let channel: Channel
    /// The position of the stream after this event, `epoch:number`; nil if the daemon sent none.
    public let cursor: String?
    /// The id of the execution that emitted it, if one did.
    public let execution: String?
    /// The payload.
    public let content: Content
    /// The name of the action, reactor, or stream that emitted it; nil for an event about the stream itself.
    let source: String?
    /// The event as the daemon sent it (the notification's params), compact, without `subscription`.
    public let record: RawJSON

    /// The payload if it is a value.
    public var value: RawJSON? {
        guard case .value(let value) = content else { return nil }
        return value
    }

    init(
        subscription: String, seq: Int, channel: Channel, cursor: String? = nil, source: String? = nil,
        execution: String? = nil, content: Content, record: RawJSON
    ) {
        self.subscription = subscription
        self.seq = seq
        self.channel = channel
        self.cursor = cursor
        self.source = source
        self.execution = execution
        self.content = content
        self.record = record
    }
}

extension StreamEvent {
    /// Reads the params of an `event` notification; nil if they lack `subscription`, `seq`, or `channel`, or name a
    /// channel that this release does not know.
    init?(_ params: JSONView) {
        var subscription: String?
        var seq: Int?
        var channel: Channel?
        var cursor: String?
        var source: String?
        var execution: String?
        var content = Content.nothing
        var record = JSONWriter(reserving: params.raw.count)
        record.beginObject()
        params.forEachMember { key, value in
            guard !key.equals("subscription") else {
                subscription = value.string
                return
            }
            record.key(key.string ?? "")
            record.raw(value.raw)
            if key.equals("seq") {
                seq = value.int
            } else if key.equals("channel") {
                channel = value.string.flatMap(Channel.init(rawValue:))
            } else if key.equals("cursor") {
                cursor = value.string
            } else if key.equals("action") || key.equals("reactor") || key.equals("stream") {
                source = value.string
            } else if key.equals("execution") {
                execution = value.string
            } else if key.equals("value") {
                content = .value(value.rawJSON)
            } else if key.equals("error") {
                content = .error(RPCError(value))
            } else if key.equals("patch") {
                content = .patch(value.rawJSON)
            }
        }
        record.endObject()
        guard let subscription, let seq, let channel else { return nil }
        self.init(
            subscription: subscription, seq: seq, channel: channel, cursor: cursor, source: source,
            execution: execution, content: content, record: RawJSON(unchecked: record.bytes))
    }
}

extension RPCError {
    /// Reads an error object; members that it lacks are left empty.
    init(_ view: JSONView) {
        self.init(
            code: view["code"]?.int ?? 0, message: view["message"]?.string ?? "", data: view["data"]?.rawJSON)
    }
}
