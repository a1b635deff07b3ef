internal import RxHost
internal import RxProtocol

/// The subscriptions of one connection that read what they have missed, in turn.
struct Replays {
    private var subscriptions: [Subscription] = []

    var isEmpty: Bool { subscriptions.isEmpty }

    mutating func append(_ subscription: Subscription) {
        subscriptions.append(subscription)
    }

    mutating func removeAll() {
        subscriptions = []
    }

    /// Writes the next portion: one in a turn, so that no other connection waits for it.
    ///
    /// - Returns: the subscription whose replay is over with this portion, if one is.
    mutating func writeNext(
        to outbox: Outbox, of log: EventLog, _ encoder: EventEncoder
    ) -> (subscription: Subscription, portion: CatchUpPortion)? {
        while outbox.hasRoom, let subscription = subscriptions.first {
            // Nil if the subscription has ended meanwhile.
            guard let portion = subscription.nextPortion(of: log) else {
                subscriptions.removeFirst()
                continue
            }
            for item in portion.items { write(item, of: subscription, to: outbox, encoder) }
            if portion.isComplete {
                subscriptions.removeFirst()
                return (subscription, portion)
            }
            // An empty portion means that the log has yet to go on.
            return nil
        }
        return nil
    }

    private func write(
        _ item: CatchUpPortion.Item, of subscription: Subscription, to outbox: Outbox,
        _ encoder: EventEncoder
    ) {
        switch item {
        case .event(let event):
            guard let encoded = encoder.encode(event) else { return }
            if case .state(let revision) = event.change {
                subscription.revisions[ObjectIdentifier(event.source)] = revision.number
            }
            outbox.replay(encoded, of: subscription)
        case .lost(let count, let first, let last):
            outbox.replay(encoder.lag(dropped: count, first: first, last: last), of: subscription)
        }
    }
}
