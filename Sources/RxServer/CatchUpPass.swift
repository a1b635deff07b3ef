internal import RxHost

/// Has every subscription read on from the first event that the log had no room for: one pass over the sessions, in
/// portions. Used on the loop.
///
/// The log leaves events out until that is done. So all subscriptions go on at the same place, whenever they are
/// visited, and those that are opened meanwhile catch up anyway.
final class CatchUpPass {
    private let cursor: UInt64
    private let log: EventLog
    private var walk: SubscriptionWalk

    /// - Parameters:
    ///   - cursor: the first event that was left out.
    ///   - sessions: those that there are.
    init(from cursor: UInt64, of log: EventLog, in sessions: some Sequence<Session>) {
        self.cursor = cursor
        self.log = log
        walk = SubscriptionWalk(sessions)
    }

    /// Whether every subscription reads on.
    var isDone: Bool { walk.isDone }

    /// Goes on until about `most` deliveries' worth of work is done.
    ///
    /// - Returns: how much was done.
    func goOn(atMost most: Int) -> Int {
        var spent = 0
        while spent < most, !isDone { spent += visitNext() }
        return spent
    }

    private func visitNext() -> Int {
        guard let session = walk.session, let subscription = walk.subscription else {
            _ = walk.beginSession()
            return 1
        }
        defer { walk.leaveSubscription() }
        // It may have read on since before.
        guard !walk.hasEnded, subscription.position == nil else { return 1 }
        subscription.beginCatchUp(at: log.positionAtSkip(subscription.source, before: cursor))
        session.output.catchUp(subscription)
        // Each source has a place of its own.
        return 1 + subscription.source.sources.count
    }
}
