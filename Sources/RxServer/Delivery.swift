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
    /// Most deliveries in a turn while outboxes are full: an event that drops another one takes about ten times as long
    /// as one that is written. Dropped events count, too, because one event may take the place of thousands.
    static let deliveriesWhileDropping = 2048

    private let context: ServerContext
    private let sessions: SessionTable
    private let subscriptions: SubscriptionTable
    /// Events that were taken from the log.
    private var backlog: [HostEvent] = []
    /// How many of these are delivered.
    private var delivered = 0
    /// What the next events wait for; nil if they may be delivered.
    private var recheck: RightsRecheck?
    /// The cursor of the first event after the backlog that the log had no room for, if there was one.
    private var skippedFrom: UInt64?
    /// No event up to this cursor is missing in the backlog, except those that nobody wants.
    private var drainedThrough: UInt64 = 0
    /// Whether events were dropped in the last turn that delivered.
    private var isDropping = false
    /// Whether another turn is sure to deliver.
    private var willGoOn = false
    /// Reused, so that its memory stays.
    private var batch = EventBatch()

    init(to sessions: SessionTable, of context: ServerContext) {
        self.sessions = sessions
        self.context = context
        subscriptions = sessions.subscriptions
    }

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
        let droppedBefore = context.dropped.count
        deliverBacklog(atMost: isDropping ? Self.deliveriesWhileDropping : Self.deliveriesPerTurn)
        isDropping = context.dropped.count > droppedBefore
        // Events that came while there was a backlog were not taken, and nothing will announce them again.
        guard !isFresh || !backlog.isEmpty else { return }
        willGoOn = true
        context.loop.execute { [self = LoopConfined(self)] in self.value.goOn() }
    }

    private func goOn() {
        willGoOn = false
        deliverInTurn()
    }

    private func takeEvents() {
        // Mostly they are all of one action.
        var last: (action: Hosted, kinds: EventKinds)?
        (backlog, skippedFrom) = context.host.log.drain { action, execution in
            guard subscriptions.of(execution).isEmpty else { return .all }
            if let last, last.action === action { return last.kinds }
            let kinds = subscriptions.channels(of: action).kinds
            last = (action, kinds)
            return kinds
        }
        drainedThrough = context.host.log.drainedThrough
    }

    /// Delivers successive events of one source to one subscription after another, rather than one event after
    /// another to all subscriptions: with many subscriptions, visiting each is what costs.
    ///
    /// - Parameter most: deliveries, and what takes as long (encoding long values, checking rights, dropped events),
    ///   after which the rest of the backlog stays; the last event may exceed it.
    private func deliverBacklog(atMost most: Int) {
        let events = backlog
        var next = delivered
        let droppedBefore = context.dropped.count
        var left = most
        defer { delivered = next }
        while true {
            // Nothing is delivered before: a client may have lost the right to what follows.
            if let recheck {
                left -= recheck.goOn(atMost: left)
                guard recheck.isDone else { return }
                self.recheck = nil
            }
            guard next < events.count, left > context.dropped.count - droppedBefore else { break }
            let begin = next
            while next < events.count, events[next].isChange { next += 1 }
            guard next == begin else {
                recheck = RightsRecheck(of: events[begin..<next].map(\.source), in: sessions.all)
                continue
            }
            let source = events[begin].source
            var readers = max(1, subscriptions.of(source).count + subscriptions.ofAll(like: source).count)
            next += 1
            guard isForSourceAlone(events[begin]) else {
                if let execution = events[begin].execution { readers += subscriptions.of(execution).count }
                left -= readers + events[begin].deliveriesToEncode
                deliver(events[begin])
                continue
            }
            left -= readers + events[begin].deliveriesToEncode
            while next < events.count, left > 0, events[next].source === source, isForSourceAlone(events[next]) {
                left -= readers + events[next].deliveriesToEncode
                next += 1
            }
            deliver(events[begin..<next], of: source, isLast: next == events.count || left <= 0)
        }
        guard next == events.count else { return }
        context.reached = max(context.reached, drainedThrough)
        backlog = []
        next = 0
        guard let cursor = skippedFrom else { return }
        skippedFrom = nil
        catchUp(from: cursor)
    }

    /// Whether the event goes to the subscriptions of its source alone, the same for all, and changes none of them.
    private func isForSourceAlone(_ event: HostEvent) -> Bool {
        if let execution = event.execution, !subscriptions.of(execution).isEmpty { return false }
        switch event.change {
        // Not all clients may see the reason.
        case .refusal(let enabled), .enabled(let enabled): return enabled.revealedReactor == nil
        // States are sent to each subscription as it needs them.
        case .state, .added, .changed, .removed: return false
        case .element, .failure, .queueFull, .conditionFailure, .executing, .execution, .fault, .firing, .streamFailure,
            .drops:
            return true
        }
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
            if let encoded = context.encoder.encode(event) { batch.append(encoded) }
        }
        if !batch.isEmpty {
            for entry in subscriptions.of(source) {
                entry.output.send(batch, of: entry.subscription, isLast: isLast)
            }
            for entry in subscriptions.ofAll(like: source) where entry.subscription.reads(source) {
                entry.output.send(batch, of: entry.subscription, isLast: isLast)
            }
        }
        batch.removeAll()
        swap(&batch, &self.batch)
        if let last = events.last { reach(last.cursor) }
    }

    /// An event about a name may come although events before it were left out.
    private func reach(_ cursor: UInt64) { context.reached = max(context.reached, min(cursor, drainedThrough)) }

    private func deliver(_ event: HostEvent) {
        // What ends with this event has it.
        reach(event.cursor)
        let ofSource = subscriptions.of(event.source)
        let ofExecution = event.execution.map { subscriptions.of($0) } ?? []
        let toAll = subscriptions.ofAll(like: event.source)
        if case .state(let revision) = event.change {
            return deliver(revision, event, to: ofSource + toAll.filter { $0.subscription.reads(event.source) })
        }
        if let channel = EventEncoder.channel(of: event.change) {
            // Made for the first subscription that carries it: most events of an execution reach none.
            var encoded: EncodedEvent?
            func send(to entry: SubscriptionTable.Entry) {
                guard entry.subscription.carries(channel, at: event.cursor),
                    let line = encoded ?? context.encoder.encode(event)
                else { return }
                encoded = line
                entry.output.send(line, of: entry.subscription)
            }
            for entry in ofSource { send(to: entry) }
            for entry in ofExecution { send(to: entry) }
            for entry in toAll where entry.subscription.reads(event.source) { send(to: entry) }
        }
        switch event.change {
        case .execution(let record):
            guard let reason = EndReason(record.state) else { return }
            for entry in ofExecution where event.cursor > entry.subscription.since {
                entry.output.subscriptions.executionEnded(reason, record, in: entry.subscription)
            }
        case .removed:
            for entry in ofSource {
                entry.output.subscriptions.drop(event.source, from: entry.subscription)
            }
        case .added:
            for entry in toAll {
                entry.output.subscriptions.show(event.source, in: entry.subscription)
            }
        // `RightsRecheck` takes care of those that have changed.
        case .changed, .element, .failure, .refusal, .queueFull, .conditionFailure, .executing, .enabled, .state,
            .fault, .firing, .streamFailure, .drops:
            break
        }
    }

    /// Sends each subscription the whole state, or the difference from the one that its client has.
    private func deliver(
        _ revision: ReactorRevision, _ event: HostEvent, to entries: [SubscriptionTable.Entry]
    ) {
        // The oldest of many in a row may be gone: the newest counts.
        guard let content = revision.content else { return }
        let whole = context.encoder.encode(event, revision, content, asPatch: false)
        var patch: EncodedEvent?
        for entry in entries where entry.subscription.carries(whole) {
            let subscription = entry.subscription
            if subscription.recordState(revision.number, of: event.source), content.patch != nil {
                let encoded = patch ?? context.encoder.encode(event, revision, content, asPatch: true)
                patch = encoded
                entry.output.send(encoded, of: subscription)
            } else {
                entry.output.send(whole, of: subscription)
            }
        }
        revision.drop()
    }

    /// The log had no room for everything that happened: every subscription reads on from what the actions keep.
    private func catchUp(from cursor: UInt64) {
        for session in sessions.all {
            for subscription in session.subscriptions.all where subscription.position == nil {
                subscription.beginCatchUp(
                    at: context.host.log.positionAtSkip(subscription.source, before: cursor))
                session.output.catchUp(subscription)
            }
        }
        context.host.log.goOn()
    }
}

extension HostEvent {
    /// Bytes of a value that take about as long to write as a delivery does.
    private static let bytesPerDelivery = 128

    /// What it costs to encode the event once, in deliveries.
    fileprivate var deliveriesToEncode: Int { valueBytes / Self.bytesPerDelivery }

    /// Whether rights to its source may have changed.
    fileprivate var isChange: Bool {
        if case .changed = change { true } else { false }
    }
}
