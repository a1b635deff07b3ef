internal import RxClient
internal import RxJSON
internal import RxProtocol

/// The events of a stream that the daemon still has.
final class PastEvents {
    /// Ten times what the daemon keeps by default. Of more events, half of them are kept, the newest.
    private static let most = 100_000

    private let session: DaemonSession
    private let request: SubscribeRequest
    private let body: (Result<[StreamEvent], ClientError>) -> Void
    private var events: [StreamEvent] = []
    private var isDone = false

    /// - Parameter body: called once, with the events or with the refusal of the daemon.
    init(
        _ session: DaemonSession, of stream: String, then body: @escaping (Result<[StreamEvent], ClientError>) -> Void
    ) {
        self.session = session
        self.body = body
        var request = SubscribeRequest(.stream([stream]), channels: [.elements, .errors, .firings, .lag], from: .start)
        request.endsCaughtUp = true
        self.request = request
    }

    func read() {
        session.link.open(.subscription(request), deliver: { [self] in receive($0) }) { [self] reply in
            if case .failure(let error) = reply { finish(.failure(error)) }
        }
    }

    private func receive(_ delivery: LinkDelivery) {
        guard case .event(let event) = delivery, event.channel != .end else { return finish(.success(events)) }
        events.append(event)
        if events.count >= Self.most { events.removeFirst(Self.most / 2) }
    }

    private func finish(_ result: Result<[StreamEvent], ClientError>) {
        guard !isDone else { return }
        isDone = true
        body(result)
    }
}
