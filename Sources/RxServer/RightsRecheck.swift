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
    /// The sessions that are not checked yet.
    private var sessions: [Session]
    private var session: Session?
    /// The subscriptions of `session` that are not checked yet.
    private var subscriptions: [Subscription] = []
    /// How many of `listed` the last of these was checked for.
    private var shown = 0

    /// - Parameters:
    ///   - sources: the names that have changed, in their order.
    ///   - sessions: those that there are. Later ones begin with the rights as they are now.
    init(of sources: [Hosted], in sessions: some Sequence<Session>) {
        self.sources = Dictionary(sources.map { (ObjectIdentifier($0), $0) }) { first, _ in first }
        var found: Set<ObjectIdentifier> = []
        listed = sources.filter { $0.isListed && found.insert(ObjectIdentifier($0)).inserted }
        self.sessions = Array(sessions)
    }

    /// Whether everything is checked.
    var isDone: Bool { sessions.isEmpty && subscriptions.isEmpty }

    /// Goes on until about `most` deliveries' worth of work is done.
    ///
    /// - Returns: how much was done.
    func goOn(atMost most: Int) -> Int {
        var spent = 0
        while spent < most, !isDone { spent += checkNext() }
        return spent
    }

    private func checkNext() -> Int {
        guard let session, let subscription = subscriptions.last else { return beginNext() }
        // It may have ended since the last portion.
        guard session.output.isOpen, session.subscriptions.contains(subscription) else {
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
        subscriptions.removeLast()
        shown = 0
    }

    private func beginNext() -> Int {
        session = sessions.popLast()
        guard let session, session.output.isOpen else { return 1 }
        subscriptions = Array(session.subscriptions.all)
        return Self.deliveriesPerCheck * (1 + session.waits.authorizeAgain(for: sources))
    }
}
