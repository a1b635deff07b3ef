internal import Glibc
public import RxJSON
public import RxProtocol

/// Where a subscription stands, so that it can go on over another connection: what to ask for, and what that means for
/// its reader. Pure: whoever owns the connection asks it.
public struct SubscriptionProgress: Sendable {
    /// What was asked for at first.
    public private(set) var request: SubscribeRequest
    /// The last event taken, or where the stream began; nil before the first reply.
    public private(set) var cursor: String?
    /// Set while the daemon does not know the cursor any more.
    private(set) var isExpired = false
    private var isReopening = false

    public init(_ request: SubscribeRequest) {
        self.request = request
        if case .cursor(let cursor) = request.start { self.cursor = cursor }
    }

    /// What to ask the daemon for, now or over the next connection.
    public var next: SubscribeRequest {
        var next = request
        if isExpired {
            next.start = .now
        } else if isReopening, let cursor {
            next.start = .cursor(cursor)
        }
        return next
    }

    /// The names of actions that were asked for are perhaps those of reactors.
    ///
    /// - Parameter channels: instead of those of actions.
    /// - Returns: whether that is to be tried.
    public mutating func asksForReactors(channels: [Channel]? = nil) -> Bool {
        guard case .actions(let names) = request.target, names != ["*"] else { return false }
        request.target = .reactors(names)
        if let channels { request.channels = channels }
        return true
    }

    /// The connection is gone; the stream has to be opened again.
    public mutating func lost() { isReopening = true }

    /// The daemon answered `cursorExpired`: what came after the cursor cannot be had any more.
    public mutating func expired() { isExpired = true }

    /// The stream is open.
    ///
    /// - Returns: what its reader is to be told, if this is not the first time or does not begin where it was asked to.
    public mutating func opened(_ reply: RawJSON, at time: Timestamp) -> Reconnection? {
        let reply = reply.value()
        let start = reply["cursor"]?.string
        defer {
            cursor = start ?? cursor
            isExpired = false
            isReopening = false
        }
        guard isReopening || isExpired else { return nil }
        return Reconnection(
            time: time, after: cursor, isResumed: isReopening && !isExpired && (cursor != nil || beginsAtAnExecution),
            cursor: start,
            snapshot: reply["snapshot"].map { RawJSON($0) })
    }

    /// Whether it begins at the same event whenever it is asked for.
    private var beginsAtAnExecution: Bool {
        switch (request.start, request.target) {
        case (.execution, _), (.executing, .executions): true
        case (.executing, .actions), (.executing, .reactors), (.now, _), (.last, _), (.cursor, _): false
        }
    }

    public mutating func take(_ event: StreamEvent) {
        cursor = event.cursor ?? cursor
    }
}

/// A subscription goes on over another connection.
public struct Reconnection: Sendable {
    public let time: Timestamp
    /// The last event taken before; nil if not even the reply to the first request was.
    public let after: String?
    /// Whether the stream goes on right after that, so that nothing was missed. Otherwise nobody knows what was.
    public let isResumed: Bool
    /// Where it goes on.
    public let cursor: String?
    /// The levels at `cursor`.
    public let snapshot: RawJSON?

    /// What a reader of records is shown, in the place where the events are missing if any are.
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
    public static var now: Timestamp {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Timestamp(milliseconds: Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000)
    }
}
