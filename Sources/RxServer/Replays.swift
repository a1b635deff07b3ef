internal import RxHost
internal import RxProtocol

/// The subscriptions of one connection that read what they have missed, one after the other.
struct Replays {
    /// What happens after a portion.
    enum Step {
        /// The replay of a subscription is over.
        case ended(Subscription, CatchUpPortion)
        /// A page of the log has to be read for the subscription, which goes on meanwhile if it can.
        case read(Subscription, CatchUpRequest)
        /// There is nothing to read yet, because the log leaves events out or the disk has not taken them.
        case pause
    }

    private var subscriptions: [Subscription] = []
    private var isWaiting = false

    var isEmpty: Bool { subscriptions.isEmpty }
    /// Whether the next portion can be written at once.
    var isReady: Bool { !isEmpty && !isWaiting }

    mutating func append(_ subscription: Subscription) {
        subscriptions.append(subscription)
    }

    mutating func removeAll() {
        subscriptions = []
    }

    /// The pages of the log that are held for the next portions: only the first subscription has any.
    var pagesHeld: Int { subscriptions.first?.position?.pagesHeld ?? 0 }

    /// A page was read, or will not be, or a pause is over.
    mutating func resume() { isWaiting = false }

    /// Writes the next portion: one in a turn, so that no other connection waits for it.
    ///
    /// - Returns: what follows; nil if the next portion does.
    mutating func writeNext(to outbox: Outbox, of log: EventLog, _ encoder: EventEncoder) -> Step? {
        while !isWaiting, outbox.hasRoom, let subscription = subscriptions.first {
            // Nil if the subscription has ended meanwhile.
            let before = subscription.position?.cursor
            guard let portion = subscription.nextPortion(of: log) else {
                subscriptions.removeFirst()
                continue
            }
            switch portion.need {
            case .nothing, .following: break
            case .page(let request):
                isWaiting = true
                return .read(subscription, request)
            case .requested:
                isWaiting = true
                return nil
            }
            for item in portion.items { write(item, of: subscription, to: outbox, encoder) }
            if portion.isComplete {
                subscriptions.removeFirst()
                return .ended(subscription, portion)
            }
            if case .following(let request) = portion.need { return .read(subscription, request) }
            guard portion.items.isEmpty, portion.cursor == before else { return nil }
            isWaiting = true
            return .pause
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
        case .encoded(let events):
            outbox.replay(events, of: subscription)
        case .lost(let count, let first, let last):
            outbox.replay(encoder.lag(dropped: count, first: first, last: last), of: subscription)
        }
    }
}
