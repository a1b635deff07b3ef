internal import RxRecords
internal import RxAction
internal import RxHost
internal import RxProtocol
internal import RxLoop

/// Takes the events of the host's log to the subscriptions: in turns of the loop, and in the order of the log.
final class Delivery {
    /// Most deliveries, of one event to one subscription, in a turn; the rest waits for the next, so that requests do
    /// not wait long behind a flood of events. These take a few milliseconds, and more would not make fewer writes.
    static let deliveriesPerTurn = 16_384

    // Unsafe because checked references cost too much here; the server owns its delivery.
    private unowned(unsafe) let server: Server
    /// All subscriptions of all connections.
    private(set) var subscriptions = SubscriptionTable()
    /// Events that were taken from the log.
    private var backlog: [HostEvent] = []
    /// How many of these are delivered.
    private var delivered = 0
    /// The cursor of the first event after the backlog that the log had no room for, if there was one.
    private var skippedFrom: UInt64?
    /// Whether another turn is sure to deliver.
    private var willGoOn = false
    /// Reused, so that its memory stays.
    private var batch = EventBatch()

    init(of server: Server) {
        self.server = server
    }

    func insert(_ subscription: Subscription) { subscriptions.insert(subscription) }

    func remove(_ subscription: Subscription) { subscriptions.remove(subscription) }

    /// Delivers what is new, in turns from now on. Called on the loop.
    func begin() {
        if !willGoOn { deliverInTurn() }
    }

    /// Delivers everything now.
    func deliverAll() {
        deliverBacklog(atMost: .max)
        takeEvents()
        deliverBacklog(atMost: .max)
    }

    /// Delivers as many events as one turn should.
    private func deliverInTurn() {
        let isFresh = backlog.isEmpty
        if isFresh { takeEvents() }
        deliverBacklog(atMost: Delivery.deliveriesPerTurn)
        // Events that came while there was a backlog were not taken, and nothing will announce them again.
        guard !isFresh || !backlog.isEmpty else { return }
        willGoOn = true
        server.loop.execute { [server] in server.delivery.goOn() }
    }

    private func goOn() {
        willGoOn = false
        deliverInTurn()
    }

    private func takeEvents() {
        // Mostly they are all of one action.
        var last: (action: HostedAction, kinds: EventKinds)?
        (backlog, skippedFrom) = server.host.log.drain { action, execution in
            guard subscriptions.of(execution).isEmpty else { return .all }
            if let last, last.action === action { return last.kinds }
            let kinds = subscriptions.channels(of: action).kinds
            last = (action, kinds)
            return kinds
        }
    }

    /// Delivers successive events of one source to one subscription after another, rather than one event after
    /// another to all subscriptions: with many subscriptions, visiting each is what costs.
    private func deliverBacklog(atMost most: Int) {
        let events = backlog
        var next = delivered
        var left = most
        while next < events.count, left > 0 {
            let begin = next
            let source = events[begin].source
            var readers = max(1, subscriptions.of(source).count + subscriptions.ofAll(like: source).count)
            next += 1
            guard isForSourceAlone(events[begin]) else {
                if let execution = events[begin].execution { readers += subscriptions.of(execution).count }
                left -= readers
                deliver(events[begin])
                continue
            }
            let end = begin + max(1, min(events.count - begin, left / readers))
            while next < end, events[next].source === source, isForSourceAlone(events[next]) { next += 1 }
            left -= (next - begin) * readers
            deliver(events[begin..<next], of: source, isLast: next == events.count || left < readers)
        }
        delivered = next
        guard next == events.count else { return }
        backlog = []
        delivered = 0
        guard let cursor = skippedFrom else { return }
        skippedFrom = nil
        catchUp(from: cursor)
    }

    /// Whether the event goes to the subscriptions of its source alone, the same for all, and changes none of them.
    private func isForSourceAlone(_ event: HostEvent) -> Bool {
        if let execution = event.execution, !subscriptions.of(execution).isEmpty { return false }
        // States are sent to each subscription as it needs them.
        return !event.kind.isEmpty && event.kind != .state
    }

    private func deliver(_ events: ArraySlice<HostEvent>, of source: Hosted, isLast: Bool) {
        let channels = subscriptions.channels(of: source)
        // Held here meanwhile: access through the object costs something for each subscription.
        var batch = EventBatch()
        swap(&batch, &self.batch)
        for event in events {
            guard let channel = EventEncoder.channel(of: event.change), channels.contains(channel) else {
                continue
            }
            if let encoded = server.encoder.encode(event) { batch.append(encoded) }
        }
        if !batch.isEmpty {
            for subscription in subscriptions.of(source) {
                subscription.connection.send(batch, of: subscription, isLast: isLast)
            }
            for subscription in subscriptions.ofAll(like: source) where subscription.reads(source) {
                subscription.connection.send(batch, of: subscription, isLast: isLast)
            }
        }
        batch.removeAll()
        swap(&batch, &self.batch)
    }

    private func deliver(_ event: HostEvent) {
        let ofSource = subscriptions.of(event.source)
        let ofExecution = event.execution.map { subscriptions.of($0) } ?? []
        let toAll = subscriptions.ofAll(like: event.source)
        if case .state(let revision) = event.change {
            return deliver(revision, event, to: ofSource + toAll.filter { $0.reads(event.source) })
        }
        if !(ofSource.isEmpty && ofExecution.isEmpty && toAll.isEmpty),
            let encoded = server.encoder.encode(event)
        {
            for subscription in ofSource where subscription.carries(encoded) {
                subscription.connection.send(encoded, of: subscription)
            }
            for subscription in ofExecution where subscription.carries(encoded) {
                subscription.connection.send(encoded, of: subscription)
            }
            for subscription in toAll
            where subscription.carries(encoded) && subscription.reads(event.source) {
                subscription.connection.send(encoded, of: subscription)
            }
        }
        switch event.change {
        case .execution(let record):
            guard let reason = EndReason(record.state) else { return }
            for subscription in ofExecution where event.cursor > subscription.since {
                subscription.connection.session.subscriptions.executionEnded(reason, in: subscription)
            }
        case .removed:
            for subscription in ofSource {
                subscription.connection.session.subscriptions.drop(event.source, from: subscription)
            }
        case .added:
            for subscription in toAll {
                subscription.connection.session.subscriptions.show(event.source, in: subscription)
            }
        case .changed:
            authorizeAgain(event.source)
        case .element, .failure, .refusal, .queueFull, .conditionFailure, .executing, .enabled, .state,
            .fault:
            break
        }
    }

    /// Sends each subscription the whole state, or the difference from the one that its client has.
    private func deliver(
        _ revision: ReactorRevision, _ event: HostEvent, to subscriptions: [Subscription]
    ) {
        // The oldest of many in a row may be gone: the newest counts.
        guard let content = revision.content else { return }
        let source = ObjectIdentifier(event.source)
        let whole = server.encoder.encode(event, revision, content, asPatch: false)
        var patch: EncodedEvent?
        for subscription in subscriptions where subscription.carries(whole) {
            let before = subscription.revisions.updateValue(revision.number, forKey: source)
            if subscription.wantsPatches, content.patch != nil, let before, before + 1 == revision.number {
                let encoded = patch ?? server.encoder.encode(event, revision, content, asPatch: true)
                patch = encoded
                subscription.connection.send(encoded, of: subscription)
            } else {
                subscription.connection.send(whole, of: subscription)
            }
        }
        revision.drop()
    }

    /// The log had no room for everything that happened: every subscription reads on from what the actions keep.
    private func catchUp(from cursor: UInt64) {
        for connection in server.connections.values {
            for subscription in connection.session.subscriptions.all where subscription.position == nil {
                subscription.beginReplay(
                    at: server.host.log.positionAtSkip(subscription.source, before: cursor))
                connection.replay(subscription)
            }
        }
        server.host.log.goOn()
    }

    /// Ends the subscriptions and the waits of clients that have lost the right to them.
    private func authorizeAgain(_ source: Hosted) {
        for connection in server.connections.values {
            connection.session.waits.authorizeAgain(source)
            connection.session.subscriptions.authorizeAgain(source)
        }
        for subscription in subscriptions.ofAll(like: source) {
            subscription.connection.session.subscriptions.show(source, in: subscription)
        }
    }
}

extension EndReason {
    /// How the stream of an execution ends; nil while it goes on.
    init?(_ state: ExecutionState) {
        switch state {
        case .queued, .executing: return nil
        case .completed: self = .completed
        case .failed, .interrupted: self = .failed
        case .cancelled: self = .cancelled
        case .timedOut: self = .timedOut
        }
    }
}
