internal import RxJSON
internal import RxProtocol

/// The position of a subscription, from which it continues over another connection. Pure: the owner of the connection
/// sends the requests.
struct SubscriptionProgress {
    /// The request that opened the subscription.
    private let request: SubscribeRequest
    /// The last event received, or where the stream began; nil before the first reply.
    private(set) var cursor: String?
    /// Where the stream began; not where it continued.
    private var begin: String?
    /// How often in a row the daemon has refused to begin where it was asked to.
    private var expiries = 0
    /// The cursor after which the daemon still has everything; nil if it did not report one.
    private var oldest: String?
    private var isReopening = false

    /// Whether the daemon has refused the cursor as expired.
    var isExpired: Bool { expiries > 0 }

    init(_ request: SubscribeRequest) {
        self.request = request
        if case .cursor(let cursor) = request.from { self.cursor = cursor }
    }

    /// The request to send now, or over the next connection.
    var next: SubscribeRequest {
        var next = request
        if expiries > 1 {
            // Never later than that: the daemon may have events that the reader has not.
            next.from = .start
        } else if isExpired {
            next.from = oldest.map { .cursor($0) } ?? request.fallback ?? .start
        } else if isReopening, let cursor, !isAtTime {
            next.from = .cursor(cursor)
        }
        return next
    }

    /// The connection is lost; the stream has to be opened again.
    mutating func lost() { isReopening = true }

    /// The daemon has answered `cursorExpired`: not all events after the cursor can be had any more.
    ///
    /// - Parameter oldest: the cursor after which it has all of them, if it knows one. It is followed once: the next
    ///   answer may be the same, for a later one.
    mutating func expired(oldest: String?) {
        self.oldest = oldest
        expiries += 1
    }

    /// Whether another attempt makes sense after the daemon has answered `cursorExpired`.
    var canFollowExpiry: Bool { expiries < 2 }

    /// The stream is open.
    ///
    /// - Returns: the reconnection to report to the reader; nil at the first opening.
    mutating func opened(_ reply: RawJSON, at time: Timestamp) -> Reconnection? {
        let reply = reply.value()
        let start = reply["cursor"]?.string
        defer {
            if cursor == begin { begin = start ?? cursor }
            cursor = start ?? cursor
            expiries = 0
            oldest = nil
            isReopening = false
        }
        guard isReopening || isExpired else { return nil }
        return Reconnection(
            time: time, after: cursor, isResumed: isReopening && !isExpired && (cursor != nil || beginsAtAnExecution),
            cursor: start,
            snapshot: reply["snapshot"].map { RawJSON($0) })
    }

    /// Whether the request begins at the same event whenever it is sent.
    private var beginsAtAnExecution: Bool {
        switch (request.from, request.target) {
        case (.execution, _), (.executing, .execution): true
        case (.executing, .action), (.executing, .reactor), (.executing, .stream), (.now, _), (.last, _),
            (.cursor, _), (.start, _), (.time, _):
            false
        }
    }

    /// Whether it has nothing since the time with which it begins: the daemon's cursor may be from before that.
    private var isAtTime: Bool { if case .time = request.from { cursor == begin } else { false } }

    mutating func take(_ event: StreamEvent) {
        cursor = event.cursor ?? cursor
    }
}
