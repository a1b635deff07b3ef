internal import RxRecords
internal import RxAction
internal import RxHost
internal import RxProtocol
internal import RxLoop

/// Takes the events of the host's log to the subscriptions: in turns of the loop, and in the order of the log.
///
/// A turn delivers until its time is up, and the next one goes on, within the subscriptions of one event, too.
final class Delivery {
    /// Deliveries, of one event to one subscription, after which the clock is read.
    static let deliveriesPerReading = 256
    /// Dropped events after which the clock is read: one event may take the place of thousands.
    private static let dropsPerReading = 256
    /// Most deliveries of one batch. More would not make fewer writes.
    private static let deliveriesPerBatch = 16_384

    private let context: ServerContext
    private let sessions: SessionTable
    private let subscriptions: SubscriptionTable
    /// Events that were taken from the log.
    private var backlog: [HostEvent] = []
    /// How many of these are delivered, or on their way.
    private var delivered = 0
    /// What is on its way to subscriptions that have not got it.
    private var fanout: Fanout?
    /// What the next events wait for; nil if they may be delivered.
    private var recheck: RightsRecheck?
    /// The cursor of the first event after the backlog that the log had no room for, if there was one.
    private var skippedFrom: UInt64?
    /// How far the subscriptions are that read on from there.
    private var catchUps: CatchUpPass?
    /// No event up to this cursor is missing in the backlog, except those that nobody wants.
    private var drainedThrough: UInt64 = 0
    /// Deliveries since the clock was read.
    private var unreported = 0
    /// Whether everything is delivered, however long it takes.
    private var isUnlimited = false
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
        isUnlimited = true
        deliverBacklog()
        takeEvents()
        deliverBacklog()
        isUnlimited = false
    }

    /// Delivers as many events as this turn has time for, and at least some.
    private func deliverInTurn() {
        let isFresh = isDone
        if isFresh { takeEvents() }
        deliverBacklog()
        // Events that came while there was a backlog were not taken, and nothing will announce them again.
        guard !isFresh || !isDone else { return }
        willGoOn = true
        context.loop.execute { [self = LoopConfined(self)] in self.value.goOn() }
    }

    private func goOn() {
        willGoOn = false
        deliverInTurn()
    }

    /// Whether all that was taken from the log is delivered.
    private var isDone: Bool { backlog.isEmpty && catchUps == nil }

    /// Counts what was done.
    ///
    /// - Parameter deliveries: those, and what takes as long: encoding long values, checking rights.
    /// - Returns: whether the turn has to end.
    private func isTurnOver(after deliveries: Int) -> Bool {
        unreported += deliveries
        guard unreported >= Self.deliveriesPerReading else { return false }
        unreported = 0
        context.loop.spendLong()
        return isTurnOver
    }

    private var isTurnOver: Bool { !isUnlimited && context.loop.isTurnOver() }

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

    /// Delivers the backlog until the turn is over, and at least some of it.
    private func deliverBacklog() {
        while fanout != nil || recheck != nil || delivered < backlog.count {
            deliverNext()
            if isTurnOver { break }
        }
        guard fanout == nil, recheck == nil, delivered == backlog.count else { return }
        context.reached = max(context.reached, drainedThrough)
        backlog = []
        delivered = 0
        if let cursor = skippedFrom {
            skippedFrom = nil
            catchUps = CatchUpPass(from: cursor, of: context.host.log, in: sessions.all)
        }
        if let catchUps { goOn(with: catchUps) }
    }

    /// The log had no room for everything that happened: every subscription reads on from what the actions keep.
    private func goOn(with catchUps: CatchUpPass) {
        while !catchUps.isDone {
            guard !isTurnOver(after: catchUps.goOn(atMost: Self.deliveriesPerReading)) else { return }
        }
        self.catchUps = nil
        context.host.log.goOn()
    }

    /// Goes on with what is under way, or with the next events, until that is done or the turn is over.
    private func deliverNext() {
        if let fanout {
            self.fanout = nil
            return visit(fanout)
        }
        // Nothing is delivered before: a client may have lost the right to what follows.
        if let recheck {
            while !recheck.isDone {
                guard !isTurnOver(after: recheck.goOn(atMost: Self.deliveriesPerReading)) else { return }
            }
            self.recheck = nil
            return
        }
        let begin = delivered
        while delivered < backlog.count, backlog[delivered].isChange { delivered += 1 }
        guard delivered == begin else {
            recheck = RightsRecheck(of: backlog[begin..<delivered].map(\.source), in: sessions.all)
            return
        }
        if isForSourceAlone(backlog[begin]) { deliverBatch() } else { deliverOne() }
    }

    /// Delivers successive events of one source to one subscription after another, rather than one event after
    /// another to all subscriptions: with many subscriptions, visiting each is what costs.
    private func deliverBatch() {
        let source = backlog[delivered].source
        let (ofSource, toAll) = (subscriptions.of(source), subscriptions.ofAll(like: source))
        let channels = subscriptions.channels(of: source)
        let readers = max(1, ofSource.count + toAll.count)
        var left = Self.deliveriesPerBatch
        var isOver = false
        var cursor: UInt64
        repeat {
            let event = backlog[delivered]
            delivered += 1
            cursor = event.cursor
            left -= readers + event.deliveriesToEncode
            if let channel = EventEncoder.channel(of: event.change), channels.contains(channel),
                let encoded = context.encoder.encode(event)
            {
                batch.append(encoded)
            }
            isOver = isTurnOver(after: 1 + event.deliveriesToEncode)
        } while left > 0 && !isOver && delivered < backlog.count && backlog[delivered].source === source
            && isForSourceAlone(backlog[delivered])
        guard !batch.isEmpty else { return reach(cursor) }
        let isLast = delivered == backlog.count || left <= 0 || isOver
        visit(
            Fanout(
                .batch(isLast: isLast), from: source, cost: batch.deliveriesToVisit, ofSource: ofSource, toAll: toAll),
            through: cursor)
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

    private func deliverOne() {
        let event = backlog[delivered]
        delivered += 1
        let ofSource = subscriptions.of(event.source)
        let ofExecution = event.execution.map { subscriptions.of($0) } ?? []
        let toAll = subscriptions.ofAll(like: event.source)
        let cost = 1 + event.deliveriesToEncode
        if case .state(let revision) = event.change {
            // The oldest of many in a row may be gone: the newest counts.
            guard let content = revision.content else { return reach(event.cursor) }
            let whole = context.encoder.encode(event, revision, content, asPatch: false)
            return visit(
                Fanout(
                    .state(event, revision, content, whole: whole), from: event.source, cost: cost, ofSource: ofSource,
                    toAll: toAll),
                through: event.cursor)
        }
        let changing: Fanout.Entries
        switch event.change {
        case .execution(let record): changing = record.state.isFinal ? ofExecution : []
        case .removed: changing = ofSource
        case .added: changing = toAll
        // `RightsRecheck` takes care of those that have changed.
        case .changed, .element, .failure, .refusal, .queueFull, .conditionFailure, .executing, .enabled, .state,
            .fault, .firing, .streamFailure, .drops:
            changing = []
        }
        visit(
            Fanout(
                .event(event), from: event.source, cost: cost, ofSource: ofSource, ofExecution: ofExecution,
                toAll: toAll, changing: changing),
            through: event.cursor)
    }

    // MARK: Among subscriptions

    /// - Parameter cursor: the last event of the fanout; nil if it was paused before.
    private func visit(_ fanout: Fanout, through cursor: UInt64? = nil) {
        let before = context.reached
        // What ends with this event has it.
        if let cursor { reach(cursor) }
        while let entries = fanout.next(Self.deliveriesPerReading) {
            fanout.resume(entries)
            let droppedBefore = context.dropped.count
            let visited = send(fanout, to: entries)
            fanout.advance(by: visited)
            let dropped = context.dropped.count - droppedBefore
            guard isTurnOver(after: visited * fanout.cost + dropped) else { continue }
            guard fanout.next(1) != nil else { break }
            fanout.pause(after: before)
            self.fanout = fanout
            return
        }
        switch fanout.content {
        case .batch: batch.removeAll()
        case .state(_, let revision, _, _): revision.drop()
        case .event: break
        }
    }

    /// - Returns: how many of the entries were visited: fewer if many events were dropped.
    private func send(_ fanout: Fanout, to entries: ArraySlice<SubscriptionTable.Entry>) -> Int {
        switch fanout.content {
        case .batch(let isLast):
            return sendBatch(of: fanout.part == .toAll ? fanout.source : nil, isLast: isLast, to: entries)
        case .event(let event):
            if fanout.part == .changing {
                for entry in entries { change(entry, with: event) }
                return entries.count
            }
            return sendEvent(event, fanout, to: entries)
        case .state(let event, let revision, let content, let whole):
            for entry in entries where entry.subscription.carries(whole) {
                send(event, revision, content, whole, fanout, to: entry)
            }
            return entries.count
        }
    }

    /// - Parameter source: what the subscriptions may not read; nil if they do.
    private func sendBatch(
        of source: Hosted?, isLast: Bool, to entries: ArraySlice<SubscriptionTable.Entry>
    ) -> Int {
        let dropped = context.dropped
        let most = dropped.count + Self.dropsPerReading
        // Held here meanwhile: access through the object costs something for each subscription.
        var batch = EventBatch()
        swap(&batch, &self.batch)
        defer { swap(&batch, &self.batch) }
        var count = 0
        for entry in entries {
            count += 1
            if let source, !entry.subscription.reads(source) { continue }
            entry.output.send(batch, of: entry.subscription, isLast: isLast)
            if dropped.count > most { break }
        }
        return count
    }

    private func sendEvent(
        _ event: HostEvent, _ fanout: Fanout, to entries: ArraySlice<SubscriptionTable.Entry>
    ) -> Int {
        guard let channel = EventEncoder.channel(of: event.change) else { return entries.count }
        let most = context.dropped.count + Self.dropsPerReading
        var count = 0
        for entry in entries {
            count += 1
            guard entry.subscription.carries(channel, at: event.cursor),
                fanout.part != .toAll || entry.subscription.reads(event.source),
                let encoded = fanout.encoded ?? context.encoder.encode(event)
            else { continue }
            fanout.encoded = encoded
            entry.output.send(encoded, of: entry.subscription)
            if context.dropped.count > most { break }
        }
        return count
    }

    /// Sends the whole state, or the difference from the one that the client has.
    private func send(
        _ event: HostEvent, _ revision: ReactorRevision, _ content: ReactorRevision.Content, _ whole: EncodedEvent,
        _ fanout: Fanout, to entry: SubscriptionTable.Entry
    ) {
        let subscription = entry.subscription
        guard fanout.part != .toAll || subscription.reads(event.source) else { return }
        if subscription.recordState(revision.number, of: event.source), content.patch != nil {
            let patch = fanout.encoded ?? context.encoder.encode(event, revision, content, asPatch: true)
            fanout.encoded = patch
            entry.output.send(patch, of: subscription)
        } else {
            entry.output.send(whole, of: subscription)
        }
    }

    /// Ends a subscription with its last source, or shows it a new one.
    private func change(_ entry: SubscriptionTable.Entry, with event: HostEvent) {
        let (subscription, open) = (entry.subscription, entry.output.subscriptions!)
        guard open.contains(subscription) else { return }
        switch event.change {
        case .execution(let record):
            guard let reason = EndReason(record.state), event.cursor > subscription.since else { return }
            open.executionEnded(reason, record, in: subscription)
        case .removed: open.drop(event.source, from: subscription)
        case .added: open.show(event.source, in: subscription)
        case .changed, .element, .failure, .refusal, .queueFull, .conditionFailure, .executing, .enabled, .state,
            .fault, .firing, .streamFailure, .drops:
            break
        }
    }

    /// An event about a name may come although events before it were left out.
    private func reach(_ cursor: UInt64) { context.reached = max(context.reached, min(cursor, drainedThrough)) }
}
