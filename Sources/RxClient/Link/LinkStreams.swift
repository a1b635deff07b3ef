internal import JSONRPC
internal import RxJSON
internal import RxProtocol

/// The open streams of a link: receives their events, and continues each one over the next connection.
///
/// On the loop's thread only.
final class LinkStreams {
    private var streams: [String: FollowedStream] = [:]
    private var lastNumber = 0
    /// Whether the link looks for another connection when one is lost.
    private let reconnects: Bool

    init(reconnects: Bool) {
        self.reconnects = reconnects
    }

    /// How many streams are open, or will be again.
    var count: Int { streams.count }

    /// The number of a new stream.
    func nextNumber() -> Int {
        lastNumber += 1
        return lastNumber
    }

    /// The daemon has answered the request that opens `stream`.
    func opened(_ stream: FollowedStream, _ reply: RawJSON) {
        stream.opened(reply)
        streams[stream.name] = stream
    }

    func contains(_ stream: FollowedStream) -> Bool { streams[stream.name] === stream }

    /// Removes a stream without a word to its reader; false if it has ended.
    func remove(_ stream: FollowedStream) -> Bool { streams.removeValue(forKey: stream.name) != nil }

    /// Ends a stream whose connection is gone.
    func finish(_ stream: FollowedStream) {
        streams[stream.name] = nil
        stream.deliver(.finished)
    }

    /// Ends all streams, in the order in which they were opened.
    func failAll(_ reason: ClientError) {
        for stream in inOrder { fail(stream, reason) }
    }

    func receive(_ delivery: StreamDelivery, for stream: FollowedStream, over connection: Connection) {
        // Before the reply to its opening the caller learns of a loss from that reply.
        guard contains(stream) else { return }
        switch delivery {
        case .lost(let reason):
            if stream.isLeaving {
                finish(stream)
            } else if reconnects, stream.progress != nil {
                stream.progress?.lost()
            } else {
                fail(stream, reason)
            }
        case .event(let event):
            if event.channel == .end {
                // The stream continues when the daemon is back, after the last event that its reader has seen.
                if event.reason == .shutdown, reconnects, stream.progress != nil, !stream.isLeaving {
                    stream.progress?.lost()
                    return closeIfIdle(connection)
                }
                streams[stream.name] = nil
            }
            stream.progress?.take(event)
            stream.deliver(.event(event))
        }
    }

    /// Continues all streams over a new connection, in the order in which they were opened.
    func reopen(over connection: Connection) {
        for stream in inOrder { reopen(stream, over: connection) }
    }

    private func reopen(_ stream: FollowedStream, over connection: Connection) {
        guard let progress = stream.progress else { return }
        connection.open(
            .subscribe, progress.next.params(subscription: stream.name), name: stream.name,
            onEvent: { [weak self, unowned connection] in self?.receive($0, for: stream, over: connection) }
        ) { [weak self, unowned connection] reply in
            self?.reopened(stream, over: connection, reply)
        }
    }

    private func reopened(_ stream: FollowedStream, over connection: Connection, _ reply: Connection.Reply) {
        guard contains(stream) else { return }
        switch reply {
        case .success(let result):
            stream.reopened(result)
        case .failure(let reason):
            // Lost once more: the next connection will do.
            if connection.isClosed { return }
            guard case .refused(let error) = reason else { return fail(stream, reason) }
            switch error.errorCode {
            case .cursorExpired where stream.options.reportsGaps && stream.progress?.canFollowExpiry == true:
                stream.progress?.expired(oldest: error.data?.value()["oldest"]?.string)
                reopen(stream, over: connection)
            case .shuttingDown:
                closeIfIdle(connection)
            case .limitReached where stream.options.waitsForRoom:
                connection.close()
            case _:
                fail(stream, reason)
            }
        }
    }

    /// A daemon that is stopping closes its connections itself, after the replies that others wait for.
    private func closeIfIdle(_ connection: Connection) {
        if connection.isIdle { connection.close() }
    }

    private func fail(_ stream: FollowedStream, _ reason: ClientError) {
        streams[stream.name] = nil
        stream.deliver(.failed(reason))
    }

    private var inOrder: [FollowedStream] { streams.values.sorted { $0.number < $1.number } }
}
