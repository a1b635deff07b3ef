internal import RxRecords
internal import RxAction
internal import RxHost
internal import RxProtocol
internal import RxLoop

// From the host's log to those who subscribed: in turns of the loop, and in the order of the log.

extension Server {
    /// Any thread.
    func scheduleDelivery() {
        loop.execute {
            if !self.willGoOn { self.deliverInTurn() }
        }
    }

    /// Gives as many of the host's events to those who subscribed as one turn should.
    private func deliverInTurn() {
        let isFresh = backlog.isEmpty
        if isFresh { takeEvents() }
        deliverBacklog(atMost: Server.deliveriesPerTurn)
        // What has come behind a backlog was not taken, and nobody tells of it again.
        guard !isFresh || !backlog.isEmpty else { return }
        willGoOn = true
        loop.execute {
            self.willGoOn = false
            self.deliverInTurn()
        }
    }

    /// Gives all of the host's events to those who subscribed, in their order.
    func deliverEvents() {
        deliverBacklog(atMost: .max)
        takeEvents()
        deliverBacklog(atMost: .max)
    }

    private func takeEvents() {
        // Mostly they are all of one action.
        var last: (action: HostedAction, kinds: EventKinds)?
        (backlog, skippedFrom) = host.log.drain { action, execution in
            guard subscriptions.of(execution).isEmpty else { return .all }
            if let last, last.action === action { return last.kinds }
            let kinds = subscriptions.channels(of: action).kinds
            last = (action, kinds)
            return kinds
        }
    }

    /// Events of one source in a row go to one subscription after another, not one after another to all subscriptions:
    /// with many of them it is to look at each that costs.
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

    /// Whether nobody follows the execution of the event, and it tells of nothing but what its source does.
    private func isForSourceAlone(_ event: HostEvent) -> Bool {
        if let execution = event.execution, !subscriptions.of(execution).isEmpty { return false }
        // States are told to each as it needs them.
        return !event.kind.isEmpty && event.kind != .state
    }

    private func deliver(_ events: ArraySlice<HostEvent>, of source: Hosted, isLast: Bool) {
        let channels = subscriptions.channels(of: source)
        // Held here meanwhile, since to reach it in this object costs something for each subscription.
        var batch = EventBatch()
        swap(&batch, &self.batch)
        for event in events {
            guard let channel = EventEncoder.channel(of: event.change), channels.contains(channel) else { continue }
            if let encoded = encoder.encode(event) { batch.append(encoded) }
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
        if !(ofSource.isEmpty && ofExecution.isEmpty && toAll.isEmpty), let encoded = encoder.encode(event) {
            for subscription in ofSource where subscription.carries(encoded) {
                subscription.connection.send(encoded, of: subscription)
            }
            for subscription in ofExecution where subscription.carries(encoded) {
                subscription.connection.send(encoded, of: subscription)
            }
            for subscription in toAll where subscription.carries(encoded) && subscription.reads(event.source) {
                subscription.connection.send(encoded, of: subscription)
            }
        }
        switch event.change {
        case .execution(let record):
            guard let reason = EndReason(record.state) else { return }
            for subscription in ofExecution where event.cursor > subscription.since {
                subscription.connection.session.executionEnded(reason, in: subscription)
            }
        case .removed:
            for subscription in ofSource { subscription.connection.session.drop(event.source, from: subscription) }
        case .added:
            for subscription in toAll { subscription.connection.session.show(event.source, in: subscription) }
        case .changed:
            authorizeAgain(event.source)
        case .element, .failure, .refusal, .queueFull, .conditionFailure, .executing, .enabled, .state, .fault:
            break
        }
    }

    /// Each is told the whole state, or how it differs from the one that it has.
    private func deliver(_ revision: ReactorRevision, _ event: HostEvent, to subscriptions: [Subscription]) {
        // Of many in a row the oldest may be gone: the newest counts.
        guard let content = revision.content else { return }
        let source = ObjectIdentifier(event.source)
        let whole = encoder.encode(event, revision, content, asPatch: false)
        var patch: EncodedEvent?
        for subscription in subscriptions where subscription.carries(whole) {
            let before = subscription.revisions.updateValue(revision.number, forKey: source)
            if subscription.wantsPatches, content.patch != nil, let before, before + 1 == revision.number {
                let encoded = patch ?? encoder.encode(event, revision, content, asPatch: true)
                patch = encoded
                subscription.connection.send(encoded, of: subscription)
            } else {
                subscription.connection.send(whole, of: subscription)
            }
        }
        revision.drop()
    }

    /// The log had no room for all that happened: everyone reads on from what the actions keep.
    private func catchUp(from cursor: UInt64) {
        for connection in connections.values {
            for subscription in connection.session.subscriptions.values where subscription.position == nil {
                subscription.beginReplay(at: host.log.positionAtSkip(subscription.source, before: cursor))
                connection.replay(subscription)
            }
        }
        host.log.goOn()
    }

    /// Ends the subscriptions, and the waiting, of those who may not have them any more.
    private func authorizeAgain(_ source: Hosted) {
        for connection in connections.values {
            connection.session.waits.authorizeAgain(source)
            for subscription in connection.session.subscriptions.values where subscription.reads(source) {
                connection.session.authorizeAgain(subscription, source)
            }
        }
        for subscription in subscriptions.ofAll(like: source) {
            subscription.connection.session.show(source, in: subscription)
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
