/// A way over the subscriptions of all sessions, one after the other, for work that is done in portions. Sessions that
/// begin later are not on it. Used on the loop.
struct SubscriptionWalk {
    /// The sessions that are still to come.
    private var sessions: [Session]
    /// The session of `subscription`.
    private(set) var session: Session?
    /// The subscriptions of `session` that are still to come.
    private var subscriptions: [Subscription] = []

    /// - Parameter sessions: those that there are.
    init(_ sessions: some Sequence<Session>) { self.sessions = Array(sessions) }

    /// Whether nothing is to come.
    var isDone: Bool { sessions.isEmpty && subscriptions.isEmpty }

    /// The next subscription, which may have ended since the session began; nil if that has no more.
    var subscription: Subscription? { subscriptions.last }

    /// Whether `subscription` has ended.
    var hasEnded: Bool {
        guard let session, let subscription else { return true }
        return !session.output.isOpen || !session.subscriptions.contains(subscription)
    }

    /// Goes on after `subscription`.
    mutating func leaveSubscription() { subscriptions.removeLast() }

    /// Goes on with the next session.
    ///
    /// - Returns: the session; nil if it has ended.
    mutating func beginSession() -> Session? {
        session = sessions.popLast()
        guard let session, session.output.isOpen else { return nil }
        subscriptions = Array(session.subscriptions.all)
        return session
    }
}
