internal import RxAction
internal import RxHost
internal import RxJSON
internal import RxProtocol

/// One stream of events to one client: the wire's, not Rx's.
final class Subscription {
    /// What a subscription was opened to.
    enum Target {
        /// Several actions, reactors, or streams, for as long as the client wants.
        case named
        /// All of a kind that the client may subscribe to, whatever comes and goes.
        case all(HostedKind)
        /// Executions, until the last of them has ended.
        case executions
        /// One execution, requested with `stream`; with the token, `unsubscribe` withdraws the request.
        case requested(token: UInt64?)

        /// Whether it is everything of a kind.
        var isAll: Bool {
            switch self {
            case .all: true
            case .named, .executions, .requested: false
            }
        }
    }

    let name: String
    let target: Target
    /// Where its events come from; for all of a kind, those that there are now.
    private(set) var source: EventSource
    let channels: Channel.Set
    /// Most events that may wait for a slow reader.
    let buffer: Int
    /// What happens to more.
    let overflow: Overflow
    /// It ends once it has everything up to this cursor; nil if it goes on with what happens.
    private let until: UInt64?
    /// Events up to this cursor are in the snapshot, or were sent when it caught up.
    private(set) var since: UInt64
    /// How far it has come with the events that are kept; nil once it carries what happens.
    private(set) var position: CatchUpPosition?
    /// How far it has come while events are on their way to others that were before it; nil mostly.
    private var cursorBehind: UInt64?
    /// How often a source has left: a page that was requested before is useless.
    private(set) var forgotten = 0
    private let encoder: EventEncoder
    /// Whether the client may see the values of a reactor, by its name.
    private let reveals: (String) -> Bool

    /// Where its events wait.
    let lane = OutboxLane()
    /// How it holds back the work that it comes from; nil if it may not.
    private(set) var pace: Pace?

    /// Sources that are no longer configured.
    private var removed: Set<ObjectIdentifier> = []

    // Used on the loop alone, in accesses that call nothing which knows the subscription.
    @exclusivity(unchecked) private var lines: EventLines
    @exclusivity(unchecked) private var sent = SentLevels()
    @exclusivity(unchecked) private var states = SentStates()
    @exclusivity(unchecked) private var losses = Losses()

    init(
        name: String, target: Target, source: EventSource, channels: Channel.Set, buffer: Int,
        overflow: Overflow = .dropOldest, since: UInt64, until: UInt64? = nil, encoder: EventEncoder,
        reveals: @escaping (String) -> Bool
    ) {
        self.name = name
        self.target = target
        self.source = source
        self.channels = channels
        self.buffer = buffer
        self.overflow = overflow
        self.since = since
        self.until = until
        self.encoder = encoder
        self.reveals = reveals
        lines = EventLines(subscription: name)
    }

    // MARK: Holding back the work

    /// From now on the execution's elements wait for this stream instead of being dropped.
    func startPacing(_ flow: Flow) {
        pace = Pace(flow)
    }

    /// Never holds the work back again: the stream is over, or its reader took too long.
    func stopPacing() {
        pace?.stop()
        pace = nil
    }

    // MARK: The snapshot

    /// The client has the states of the snapshot.
    func begin(with opening: EventOpening, wantsPatches: Bool) {
        states = SentStates(wantsPatches: wantsPatches)
        for (source, levels) in zip(source.sources, opening.levels) {
            if case .reactor(let levels) = levels { recordState(levels.revision, of: source) }
        }
    }

    /// Whether states are sent as patches where the client has the state before.
    var wantsPatches: Bool { states.wantsPatches }

    /// Records the state of a reactor that the client is sent next.
    ///
    /// - Returns: whether a patch can be sent in its place.
    @discardableResult
    func recordState(_ revision: UInt64, of reactor: Hosted) -> Bool {
        states.record(revision, of: ObjectIdentifier(reactor))
    }

    /// The client has these levels in the snapshot.
    func begin(with levels: ActionLevels, of source: Hosted) {
        sent.record(levels, of: source, on: channels)
    }

    // MARK: Catching up

    /// Reads what is kept from `position` on, and nothing of what happens meanwhile.
    func beginCatchUp(at position: CatchUpPosition) {
        self.position = position
        since = .max
    }

    /// The next portion; after the last one the subscription carries what happens. One that ends by then does not
    /// read what has come since it began, however much that is.
    func nextPortion(of log: EventLog) -> CatchUpPortion? {
        guard position != nil else { return nil }
        let portion = log.nextPortion(of: source, channels.kinds, after: &position!)
        if portion.isComplete || portion.cursor >= until ?? .max {
            position = nil
            since = portion.cursor
        }
        return portion
    }

    /// The page that was requested last was read; nil has it requested again.
    func take(_ page: ReadPage?) { position?.take(page) }

    /// Carries nothing any more, not even the rest of a turn's events.
    func end() {
        position = nil
        since = .max
    }

    /// The last event that it has, if it is not catching up.
    ///
    /// - Parameter cursor: how far all subscriptions have come, except those that are behind.
    func reached(_ cursor: UInt64) -> UInt64 { max(cursorBehind ?? cursor, since) }

    /// Events are on their way to others, and come to this one later; nil for the cursor when they do.
    func isBehind(after cursor: UInt64?) { cursorBehind = cursor }

    // MARK: Its sources

    /// Adds a source to a subscription to all.
    ///
    /// - Returns: whether it was not there before.
    func add(_ one: Hosted) -> Bool {
        guard case .named(let all) = source, !all.contains(where: { $0 === one }) else { return false }
        source = .named(all + [one])
        return true
    }

    /// Hides a source of a subscription to all.
    ///
    /// - Returns: whether it was there before.
    func remove(_ one: Hosted) -> Bool {
        guard case .named(let all) = source, let place = all.firstIndex(where: { $0 === one }) else {
            return false
        }
        var left = all
        left.remove(at: place)
        source = .named(left)
        sent.forget(one)
        position?.forget(place)
        forgotten += 1
        return true
    }

    /// A source is no longer configured.
    ///
    /// - Returns: whether it was the last one.
    func lose(_ one: Hosted) -> Bool {
        removed.insert(ObjectIdentifier(one))
        return source.sources.allSatisfy { removed.contains(ObjectIdentifier($0)) }
    }

    var watchesAll: Bool { target.isAll }

    func reads(_ one: Hosted) -> Bool { source.sources.contains { $0 === one } }

    // MARK: Events

    /// Whether this subscription carries the event.
    func carries(_ event: EncodedEvent) -> Bool {
        event.channel.isEmpty ? event.cursor > since : carries(event.channel, at: event.cursor)
    }

    /// Whether this subscription carries an event on `channel` with this cursor.
    func carries(_ channel: Channel.Set, at cursor: UInt64) -> Bool { cursor > since && channels.contains(channel) }

    /// Whether it carries such changes.
    func mayCarry(_ change: HostEvent.Change) -> Bool {
        EventEncoder.channel(of: change).map { channels.contains($0) } ?? false
    }

    /// Whether something was lost that no `lag` has reported yet.
    var isLagging: Bool { !losses.isEmpty }

    /// Counts an event that found no room.
    ///
    /// - Returns: whether it is the first since the last `lag`.
    func lose(cursor: UInt64) -> Bool {
        losses.add(cursor) { lane.isAnyWaiting(after: $0, before: $1) }
    }

    /// The event as the client may see it now.
    private func shown(_ event: EncodedEvent) -> EncodedEvent {
        guard let revealed = event.revealed, reveals(revealed.reactor) else { return event }
        return revealed.event
    }

    /// Writes one event, after the `lag` that belongs before it; nothing for a level whose value the client has.
    ///
    /// - Returns: the rest of the event if that is long; it is to follow.
    func write(_ event: EncodedEvent, to writer: inout JSONWriter) -> SharedText? {
        let event = shown(event)
        guard sent.record(event) else { return nil }
        // The last event of a subscription comes after everything, even after the event of the same cursor.
        // A long state has the cursor of the last event before it, which may be lost.
        let first = event.ending == nil ? event.cursor : event.cursor + 1
        writeLag(before: event.mustArrive ? .max : first, to: &writer)
        return lines.write(event, to: &writer)
    }

    /// Writes an event that is kept elsewhere, before anything that waits.
    ///
    /// - Returns: the rest of the event if that is long; it is to follow.
    func writeMissed(_ event: EncodedEvent, to writer: inout JSONWriter) -> SharedText? {
        let event = shown(event)
        return sent.record(event) ? lines.write(event, to: &writer) : nil
    }

    /// Writes events of a page, before anything that waits. None is a level.
    ///
    /// - Returns: the rest of the event if there is one and that is long; it is to follow.
    func writeMissed(_ events: EncodedEvents, to writer: inout JSONWriter) -> SharedText? {
        lines.write(events, to: &writer)
    }

    /// Writes the `lag` for what was lost before `cursor` and since the last one, if anything was.
    func writeLag(before cursor: UInt64, to writer: inout JSONWriter) {
        guard let lost = losses.take(before: cursor) else { return }
        // A lag is short.
        _ = lines.write(encoder.lag(dropped: lost.count, first: lost.first, last: lost.last), to: &writer)
    }

    /// Writes the events of the batch that it carries, as lines.
    ///
    /// - Returns: the number of bytes; nil if they may not fit, and then nothing has happened.
    func write(_ batch: borrowing EventBatch, to block: UnsafeMutableRawBufferPointer) -> Int? {
        let count = lines.write(batch, on: channels, since: since, to: block)
        // Nothing waited, so each level differs from the one before.
        if count != nil, !batch.levels.isEmpty {
            for event in batch.levels where carries(event) { _ = sent.record(event) }
        }
        return count
    }
}

extension Channel.Set {
    /// The kinds of the log's events that these channels carry.
    var kinds: EventKinds {
        var kinds: EventKinds = []
        if contains(.elements) { kinds.insert(.elements) }
        if contains(.errors) { kinds.insert(.errors) }
        if contains(.executing) { kinds.insert(.executing) }
        if contains(.enabled) { kinds.insert(.enabled) }
        if contains(.executions) { kinds.insert(.executions) }
        if contains(.state) { kinds.insert(.state) }
        if contains(.firings) { kinds.insert(.firings) }
        if contains(.lag) { kinds.insert(.drops) }
        return kinds
    }
}
