internal import RxHost
internal import RxProtocol

/// Ends the subscriptions and the waits of clients that have lost the right to them: one pass over the sessions for all
/// names that a reload has changed, in portions. Used on the loop.
final class RightsRecheck {
    /// Names that a subscription to all of a kind is checked for at a time.
    private static let namesAtOnce = 256

    private let sources: [ObjectIdentifier: Hosted]
    /// The sources that subscriptions to all of a kind show.
    private let listed: [Hosted]
    private var walk: SubscriptionWalk
    /// How many of `listed` the subscription on it was checked for.
    private var shown = 0

    /// - Parameters:
    ///   - sources: the names that have changed, in their order.
    ///   - sessions: those that there are. Later ones begin with the rights as they are now.
    init(of sources: [Hosted], in sessions: some Sequence<Session>) {
        self.sources = Dictionary(sources.map { (ObjectIdentifier($0), $0) }) { first, _ in first }
        var found: Set<ObjectIdentifier> = []
        listed = sources.filter { $0.isListed && found.insert(ObjectIdentifier($0)).inserted }
        walk = SubscriptionWalk(sessions)
    }

    /// Whether everything is checked.
    var isDone: Bool { walk.isDone }

    /// Goes on until about `most` deliveries' worth of work is done.
    ///
    /// - Returns: how much was done.
    func goOn(atMost most: Int) -> Int {
        var spent = 0
        while spent < most, !isDone { spent += checkNext() }
        return spent
    }

    private func checkNext() -> Int {
        guard let session = walk.session, let subscription = walk.subscription else { return beginNext() }
        guard !walk.hasEnded else {
            endSubscription()
            return 1
        }
        switch subscription.target {
        case .named, .executions, .requested:
            endSubscription()
            return Self.deliveriesPerCheck * (1 + session.subscriptions.authorizeAgain(subscription, for: sources))
        case .all(let kind):
            let end = min(listed.count, shown + Self.namesAtOnce)
            for source in listed[shown..<end] where source.kind == kind {
                session.subscriptions.show(source, in: subscription)
            }
            let count = end - shown
            shown = end
            if shown == listed.count { endSubscription() }
            return Self.deliveriesPerCheck * (1 + count)
        }
    }

    /// A check of a right takes about as long as so many deliveries.
    private static let deliveriesPerCheck = 8

    private func endSubscription() {
        walk.leaveSubscription()
        shown = 0
    }

    private func beginNext() -> Int {
        guard let session = walk.beginSession() else { return 1 }
        return Self.deliveriesPerCheck * (1 + session.waits.authorizeAgain(for: sources))
    }
}
