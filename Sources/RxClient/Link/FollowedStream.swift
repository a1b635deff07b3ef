package import RxJSON
internal import RxProtocol

/// A stream that outlives its connections; on the loop's thread only.
// @unchecked Sendable: `EventStream` carries the reference across threads and touches it on the loop alone.
package final class FollowedStream: @unchecked Sendable {
    /// The request that opens a stream; it decides whether the stream survives its connection.
    package enum Origin {
        case subscription(SubscribeRequest)
        case execution(ExecuteRequest)
    }

    /// How a stream reacts to a lost connection and to what it meets afterwards.
    package struct Options: Sendable {
        /// Sends the opening request again if its connection is lost before the reply, where that is harmless.
        package var repeatsOpening = true
        /// Reports events that cannot be had any more as a gap; otherwise the stream fails with `cursorExpired`.
        package var reportsGaps = true
        /// Asks a daemon that has reached a limit again over the next connection; otherwise the stream fails with
        /// `limitReached`.
        package var waitsForRoom = false
        /// Follows a detached execution over the next connection; otherwise the stream fails with its connection.
        package var continues = true

        package init() {}
    }

    /// Streams of a link are numbered in the order in which they were opened.
    let number: Int
    /// The name of the stream, the same on every connection.
    var name: String { "s\(number)" }
    let options: Options
    /// The request that opens it, until its reply has come.
    var opening: OutgoingRequest?
    /// Nil as long as the stream cannot continue over another connection.
    var progress: SubscriptionProgress?
    /// Whether the daemon knows it as a subscription, whose end does not affect an execution.
    private(set) var isSubscription: Bool
    /// Whether its reader has asked for the end.
    var isLeaving = false
    let deliver: (LinkDelivery) -> Void
    private let origin: Origin

    init(number: Int, origin: Origin, options: Options, deliver: @escaping (LinkDelivery) -> Void) {
        self.number = number
        self.origin = origin
        self.options = options
        self.deliver = deliver
        isSubscription = if case .subscription = origin { true } else { false }
    }

    /// The daemon has answered the opening request.
    func opened(_ reply: RawJSON) {
        switch origin {
        case .subscription(let request):
            var progress = SubscriptionProgress(request)
            _ = progress.opened(reply, at: .now)
            self.progress = progress
        case .execution(let request):
            // With `cancel` the daemon withdraws the execution at the loss, and nothing is left to continue.
            guard request.onDisconnect == .detach, options.continues, let id = ExecuteReply(reply)?.execution else {
                return
            }
            progress = SubscriptionProgress(
                SubscribeRequest(.execution([id]), channels: [.elements, .errors], from: .executing))
        }
    }

    /// The daemon has answered the request that continues the stream over another connection.
    func reopened(_ reply: RawJSON) {
        isSubscription = true
        guard let reconnection = progress?.opened(reply, at: .now) else { return }
        deliver(.reconnected(reconnection, reply: reply))
    }
}

/// What the reader of a link's stream receives: nothing follows an event on the channel `end`, `failed`, or `finished`.
package enum LinkDelivery {
    case event(StreamEvent)
    /// The stream continues over another connection; `reply` is the daemon's answer.
    case reconnected(Reconnection, reply: RawJSON)
    /// The stream cannot continue.
    case failed(ClientError)
    /// The reader has unsubscribed, and no connection is left that could bring the `end` event.
    case finished
}
