internal import JSONRPC
internal import RxClient
internal import RxJSON
internal import RxProtocol

/// A subscription that goes on over other connections, each time where it stood.
///
/// Once it is open, a lost connection, a daemon that stops and one that has no room yet are waited out; anything else that the daemon
/// refuses ends the session. Until it is open every failure does.
final class ReconnectingSubscription {
    /// Between attempts, doubled from the first to the longest.
    private static let shortestPause = Duration.milliseconds(50)
    private static let longestPause = Duration.seconds(5)

    struct Policy {
        var reconnects = true
        /// A cursor that has expired ends the session.
        var strict = false
        /// If the names turn out to be those of reactors.
        var channelsOfReactors: [Channel]?
    }

    /// Called at each opening, before its events, with the daemon's answer; and with what its reader has to know if it does not begin, or
    /// go on, where it was asked to.
    var onOpen: (RawJSON, Reconnection?) -> Void = { _, _ in }
    var onEvent: (StreamEvent) -> Void = { _ in }

    private let session: DaemonSession
    private let policy: Policy
    private var progress: SubscriptionProgress
    private var pause = shortestPause
    private var hasOpened = false

    init(_ session: DaemonSession, _ request: SubscribeRequest, _ policy: Policy) {
        self.session = session
        self.policy = policy
        progress = SubscriptionProgress(request)
    }

    /// Where it stands.
    var cursor: String? { progress.cursor }

    func start() {
        session.connection.subscribe(
            progress.next,
            onEvent: { [self] delivery in
                switch delivery {
                case .event(let event): receive(event)
                // Told by the session as well.
                case .lost: break
                }
            },
            completion: { [self] in answered($0) })
    }

    private func answered(_ reply: Connection.Reply) {
        switch reply {
        case .success(let reply):
            pause = ReconnectingSubscription.shortestPause
            if policy.reconnects, !hasOpened { session.onLoss = { [self] in lost($0) } }
            hasOpened = true
            let reconnection = progress.opened(reply, at: .now)
            onOpen(reply, reconnection)
        case .failure(let error):
            // Told by the session as well.
            guard !session.connection.isClosed else { return }
            refused(error)
        }
    }

    private func refused(_ error: ClientError) {
        guard case .refused(let refusal) = error else { return session.finish(Ending(error)) }
        switch refusal.named {
        case .notFound
        where !hasOpened && refusal.data?.value()["action"] != nil
            && progress.asksForReactors(channels: policy.channelsOfReactors):
            // Names are unique across both kinds.
            start()
        case .cursorExpired where !policy.strict && progress.next.start != .now:
            progress.expired()
            start()
        case .shuttingDown where hasOpened && policy.reconnects, .limitReached where hasOpened && policy.reconnects:
            session.connection.close()
        case _:
            session.finish(Ending(error))
        }
    }

    private func receive(_ event: StreamEvent) {
        if event.channel == .end, event.endReason == .shutdown, policy.reconnects {
            return session.connection.close()
        }
        progress.take(event)
        onEvent(event)
    }

    private func lost(_ error: ClientError) {
        switch error {
        case .closed, .refused:
            progress.lost()
            if pause == ReconnectingSubscription.shortestPause {
                session.note("\(error.description); connecting again")
            }
        case .unreachable:
            break
        case .protocolViolation, .tooLarge, .congested, .cancelled:
            return session.finish(Ending(error))
        }
        let pause = self.pause
        self.pause = min(pause * 2, ReconnectingSubscription.longestPause)
        session.reconnect(after: pause) { [self] in start() }
    }
}
