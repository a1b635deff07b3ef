internal import RxClient
internal import RxJSON
internal import RxProtocol

/// The events of a stream that the daemon still has.
///
/// The daemon does not announce the end of the past. The subscriptions of a connection catch up one after the other, so
/// the first event of a second one to the same events comes after the last past one of the first. Without any event,
/// the past is over once nothing has come for ``silence``.
final class PastEvents {
    /// Far longer than a daemon takes to begin, and hardly noticed by those who wait.
    private static let silence = Duration.milliseconds(300)
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
        request = SubscribeRequest(.stream([stream]), channels: [.elements, .errors, .firings, .lag], from: .start)
    }

    func read() {
        open { [self] delivery in
            guard case .event(let event) = delivery, event.channel != .end else { return finish() }
            events.append(event)
            if events.count >= Self.most { events.removeFirst(Self.most / 2) }
        } then: { [self] in
            open { [self] _ in
                finish()
            } then: { [self] in
                finishWhenSilent(after: events.count)
            }
        }
    }

    private func open(_ deliver: @escaping (LinkDelivery) -> Void, then body: @escaping () -> Void) {
        session.link.open(.subscription(request), deliver: deliver) { [self] reply in
            switch reply {
            case .success: body()
            case .failure(let error): finish(.failure(error))
            }
        }
    }

    private func finishWhenSilent(after count: Int) {
        session.schedule(after: Self.silence) { [self] in
            guard !isDone else { return }
            if events.count == count { finish() } else { finishWhenSilent(after: events.count) }
        }
    }

    private func finish(_ refusal: Result<[StreamEvent], ClientError>? = nil) {
        guard !isDone else { return }
        isDone = true
        body(refusal ?? .success(events))
    }
}
