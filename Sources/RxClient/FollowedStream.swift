internal import RxJSON
internal import RxProtocol

/// A stream as it is known across connections; on the loop's thread only.
// @unchecked Sendable: `EventStream` carries the reference across threads and touches it on the loop alone.
final class FollowedStream: @unchecked Sendable {
    /// What opened it, and so what the end of its connection means.
    enum Origin {
        case subscription(SubscribeRequest)
        case execution(ExecuteRequest)
    }

    /// Streams of a client are numbered in the order in which they were asked for.
    let number: Int
    /// Its name, the same on every connection.
    var name: String { "s\(number)" }
    let mailbox: Mailbox
    private let origin: Origin
    /// Nil as long as it cannot go on over another connection.
    var progress: SubscriptionProgress?
    /// Whether the daemon knows it as a subscription, whose end is of no concern to an execution.
    private(set) var isSubscription: Bool
    /// Its reader has asked for the end.
    var isLeaving = false

    init(number: Int, origin: Origin, mailbox: Mailbox) {
        self.number = number
        self.origin = origin
        self.mailbox = mailbox
        isSubscription = if case .subscription = origin { true } else { false }
    }

    /// The daemon has answered the request that opened it.
    func opened(_ reply: RawJSON) {
        switch origin {
        case .subscription(let request):
            var progress = SubscriptionProgress(request)
            _ = progress.opened(reply, at: .now)
            self.progress = progress
        case .execution(let request):
            // With `cancel` the daemon has withdrawn it by now: there is nothing to go on with.
            guard request.onDisconnect == .detach, let id = ExecuteReply(reply)?.execution else { return }
            progress = SubscriptionProgress(
                SubscribeRequest(.executions([id]), channels: [.elements, .errors], start: .executing))
        }
    }

    /// The daemon has answered the request that opened it again.
    func reopened(_ reply: RawJSON) {
        isSubscription = true
        guard let reconnection = progress?.opened(reply, at: .now) else { return }
        mailbox.reconnected(reconnection)
    }
}
