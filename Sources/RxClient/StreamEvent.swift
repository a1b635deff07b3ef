public import JSONRPC
public import RxJSON
public import RxProtocol

/// One event of a stream, opened by `subscribe` or by `execute` with a stream.
public struct StreamEvent: Sendable {
    /// What the event brings; on the wire at most one of these members.
    public enum Content: Sendable {
        case value(RawJSON)
        case error(RPCError)
        /// RFC 6902, from the revision before.
        case patch(RawJSON)
        case nothing
    }

    /// The client's name for the stream.
    public let subscription: String
    /// 1, 2, 3, … in each stream; a gap is told by `lag`.
    public let sequence: Int
    public let channel: Channel
    /// Where the stream stands: `epoch:number`.
    public let cursor: String?
    /// The action (or reactor) that it comes from; nil where the event is about the stream itself.
    public let source: String?
    public let execution: String?
    public let content: Content
    /// The event as it came (the notification's params), compact, without the name of the subscription.
    public let record: RawJSON

    public var value: RawJSON? {
        guard case .value(let value) = content else { return nil }
        return value
    }

    /// Why the stream ended, if this is its end and the reason is known to this release.
    public var endReason: EndReason? {
        guard channel == .end, let value else { return nil }
        return value.value()["reason"]?.string.flatMap(EndReason.init(rawValue:))
    }

    init(
        subscription: String, sequence: Int, channel: Channel, cursor: String? = nil, source: String? = nil,
        execution: String? = nil, content: Content, record: RawJSON
    ) {
        self.subscription = subscription
        self.sequence = sequence
        self.channel = channel
        self.cursor = cursor
        self.source = source
        self.execution = execution
        self.content = content
        self.record = record
    }
}

extension StreamEvent {
    /// Reads the params of an `event` notification; nil if they lack what every event has, or name a channel that this
    /// release does not know.
    init?(_ params: JSONView) {
        var subscription: String?
        var sequence: Int?
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
                sequence = value.int
            } else if key.equals("channel") {
                channel = value.string.flatMap(Channel.init(rawValue:))
            } else if key.equals("cursor") {
                cursor = value.string
            } else if key.equals("action") || key.equals("reactor") {
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
        guard let subscription, let sequence, let channel else { return nil }
        self.init(
            subscription: subscription, sequence: sequence, channel: channel, cursor: cursor, source: source,
            execution: execution, content: content, record: RawJSON(unchecked: record.bytes))
    }
}

extension RPCError {
    /// An error object, wherever it stands; what it lacks is left empty.
    init(_ view: JSONView) {
        self.init(
            code: view["code"]?.int ?? 0, message: view["message"]?.string ?? "", data: view["data"]?.rawJSON)
    }
}
