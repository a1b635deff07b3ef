internal import RxAction
internal import RxHost
internal import RxJSON
internal import RxProtocol

/// One stream of events to one client: the wire's, not Rx's.
final class Subscription {
    enum Target {
        /// Several actions or reactors, for as long as the client wants.
        case named
        /// All actions that the client may subscribe to, whatever comes and goes.
        case allActions
        /// All reactors likewise.
        case allReactors
        /// Executions, until the last of them has ended.
        case executions
        /// One execution, on the wish of its requester, and the token with which that withdraws by unsubscribing.
        case requested(token: UInt64?)
    }

    let name: String
    let target: Target
    /// Of all actions, those there are.
    private(set) var source: EventSource
    let channels: Channel.Set
    /// Most events that may wait for a slow reader, and what happens to more.
    let buffer: Int
    let overflow: Overflow
    /// Events up to this cursor are in the snapshot, or were replayed.
    private(set) var since: UInt64
    /// While it reads what is kept instead of what happens: how far it has come.
    private(set) var position: CatchUpPosition?
    /// How many of its executions have not ended.
    var unended = 1
    /// Why it ends once it has read that.
    var endsAfterReplay: EndReason?
    // Unsafe because checked references cost too much here; a subscription is forgotten when its connection ends.
    unowned(unsafe) let connection: Connection

    /// The start of every event's line, up to and including `"seq":`.
    private let head: [UInt8]
    private var sequence = 0

    /// Where it is among the subscriptions of each of its actions, or of all; the table's.
    var places: [Int] = []

    /// Whether it is told how a state differs from the one before, where that is known.
    var wantsPatches = false
    /// The revision of each reactor that its reader will have when all that is sent has been read.
    var revisions: [ObjectIdentifier: UInt64] = [:]

    /// Those of its actions that are no longer configured.
    var removed: Set<ObjectIdentifier> = []

    // What waits in the outbox, oldest first.
    var waitingEvents = WaitingEvents()
    var waitingLevels: [EncodedEvent.Level: Waiting] = [:]
    /// For which base of the outbox's positions it knows these places; the outbox's.
    var placesBase: UInt64 = 0
    /// What its reader will have been told last of each level when all that is written has been read.
    private var told: [EncodedEvent.Level: LevelValue] = [:]

    /// Lets this stream hold back the work it comes from; nil for those that may not.
    private(set) var flow: Flow?
    private(set) var holdsWork = false

    /// What was lost and not told of, in order; what still waits for the reader may stand between two of these.
    private var losses: [Loss] = []

    init(
        name: String, target: Target, source: EventSource, channels: Channel.Set, buffer: Int,
        overflow: Overflow = .dropOldest, since: UInt64, connection: Connection
    ) {
        self.name = name
        self.target = target
        self.source = source
        self.channels = channels
        self.buffer = buffer
        self.overflow = overflow
        self.since = since
        self.connection = connection
        var writer = JSONWriter()
        writer.beginObject()
        writer.field("jsonrpc", "2.0")
        writer.field("method", "event")
        writer.key("params")
        writer.beginObject()
        writer.field("subscription", name)
        writer.key("seq")
        head = writer.bytes
    }

    // MARK: Holding back the work

    /// From now on the execution's elements wait for this stream instead of being dropped.
    func pace(_ flow: Flow?) {
        flow?.addReader()
        self.flow = flow
    }

    /// - Returns: whether this stream did not hold the work before.
    func hold() -> Bool {
        guard let flow, !holdsWork else { return false }
        holdsWork = true
        flow.hold()
        return true
    }

    func release() {
        guard holdsWork else { return }
        holdsWork = false
        flow?.release()
    }

    /// For good: the stream is over, or its reader took too long.
    func stopPacing() {
        release()
        flow?.removeReader()
        flow = nil
    }

    // MARK: Replaying

    /// Reads what is kept from `position` on, and nothing of what happens meanwhile.
    func beginReplay(at position: CatchUpPosition) {
        self.position = position
        since = .max
    }

    /// The next portion; after the last one it goes on with what happens.
    func nextPortion(of log: EventLog) -> CatchUpPortion? {
        guard position != nil else { return nil }
        let portion = log.nextPortion(of: source, channels.kinds, after: &position!)
        if portion.isComplete {
            position = nil
            since = portion.cursor
        }
        return portion
    }

    /// Nothing that happens is carried any more, not even the rest of a turn's events.
    func end() {
        position = nil
        since = .max
    }

    // MARK: Its actions

    /// Of all actions: one more.
    ///
    /// - Returns: whether it was not there before.
    func add(_ one: Hosted) -> Bool {
        guard case .named(let all) = source, !all.contains(where: { $0 === one }) else { return false }
        source = .named(all + [one])
        return true
    }

    /// Of all actions: one is hidden from now on.
    ///
    /// - Returns: whether it was there before.
    func remove(_ one: Hosted) -> Bool {
        guard case .named(let all) = source, let place = all.firstIndex(where: { $0 === one }) else { return false }
        var left = all
        left.remove(at: place)
        source = .named(left)
        for channel in [Channel.Set.executing, .enabled] {
            told[.init(source: ObjectIdentifier(one), channel: channel)] = nil
        }
        position?.forget(place)
        return true
    }

    var watchesAll: Bool { target.isAll }

    func reads(_ one: Hosted) -> Bool { source.sources.contains { $0 === one } }

    // MARK: Levels

    /// Its reader has these in a snapshot.
    func tell(_ levels: ActionLevels, of source: Hosted) {
        let source = ObjectIdentifier(source)
        if channels.contains(.executing) {
            told[.init(source: source, channel: .executing)] = .executing(levels.executing)
        }
        if channels.contains(.enabled) {
            told[.init(source: source, channel: .enabled)] = LevelValue(levels.enabled)
        }
    }

    private func tell(_ events: [EncodedEvent]) {
        for event in events where carries(event) { _ = isNews(event) }
    }

    /// Whether an event that is about to be written says anything that the reader does not know: of a level that came and
    /// went while it was slow only the newest is left, which may be what it was told last.
    func isNews(_ event: EncodedEvent) -> Bool {
        guard let said = event.said, let level = event.level else { return true }
        return told.updateValue(said, forKey: level) != said
    }

    // MARK: Events

    /// Whether this subscription carries the event.
    func carries(_ event: EncodedEvent) -> Bool {
        event.cursor > since && (event.channel.isEmpty || channels.contains(event.channel))
    }

    /// Whether something was lost that no `lag` has told of yet.
    var isLagging: Bool { !losses.isEmpty }

    /// Counts an event that found no room.
    ///
    /// - Returns: whether it is the first since the last `lag`.
    func lose(cursor: UInt64) -> Bool {
        guard let last = losses.last else {
            losses.append(Loss(cursor))
            return true
        }
        if isAnyWaiting(between: last, and: cursor) {
            // Of those before, some may no longer be apart: a level that stood between them was replaced.
            if losses.count > 1, !isAnyWaiting(between: losses[losses.count - 2], and: last.first) {
                losses[losses.count - 2].add(last)
                losses.removeLast()
            }
            losses.append(Loss(cursor))
        } else {
            losses[losses.count - 1].add(Loss(cursor))
        }
        return false
    }

    /// A level that goes on waiting while events around it are lost, or an event that the newest are lost behind.
    private func isAnyWaiting(between loss: Loss, and cursor: UInt64) -> Bool {
        func isBetween(_ waiting: Waiting) -> Bool { loss.last < waiting.cursor && waiting.cursor < cursor }
        return waitingEvents.last.map(isBetween) ?? false || waitingLevels.values.contains(where: isBetween)
    }

    /// The `lag` event for what was lost before `cursor` and since the last one, if anything was.
    func takeLag(before cursor: UInt64) -> EncodedEvent? {
        guard var lag = losses.first, lag.last < cursor else { return nil }
        var count = 1
        while count < losses.count, losses[count].last < cursor {
            lag.add(losses[count])
            count += 1
        }
        losses.removeFirst(count)
        return connection.server.encoder.lag(dropped: lag.count, first: lag.first, last: lag.last)
    }

    /// Writes what of the batch it carries, as lines.
    ///
    /// - Returns: how many bytes; nil if they may not fit, and then nothing has happened.
    func write(_ batch: borrowing EventBatch, to block: UnsafeMutableRawBufferPointer) -> Int? {
        let count = batch.write(head: head, sequence: &sequence, channels: channels, since: since, to: block)
        // Nothing waited, so each level differs from the one before.
        if count != nil, !batch.levels.isEmpty { tell(batch.levels) }
        return count
    }

    /// Writes one line; the sequence number is given here, so that it never has a hole.
    func write(_ event: EncodedEvent, to writer: inout JSONWriter) {
        sequence += 1
        writer.bytes.append(contentsOf: head)
        writer.int(sequence)
        writer.bytes.append(contentsOf: event.bytes)
    }
}

extension Channel.Set {
    var kinds: EventKinds {
        var kinds: EventKinds = []
        if contains(.elements) { kinds.insert(.elements) }
        if contains(.errors) { kinds.insert(.errors) }
        if contains(.executing) { kinds.insert(.executing) }
        if contains(.enabled) { kinds.insert(.enabled) }
        if contains(.executions) { kinds.insert(.executions) }
        if contains(.state) { kinds.insert(.state) }
        return kinds
    }
}

/// Events that were lost one after another.
private struct Loss {
    private(set) var count = 1
    let first: UInt64
    private(set) var last: UInt64

    init(_ cursor: UInt64) {
        first = cursor
        last = cursor
    }

    mutating func add(_ later: Loss) {
        count += later.count
        last = later.last
    }
}

/// The events of one subscription that wait, as a queue of their places.
struct WaitingEvents {
    private var places: [Waiting] = []
    private var head = 0

    var count: Int { places.count - head }
    var last: Waiting? { head < places.count ? places.last : nil }

    mutating func append(_ place: Waiting) {
        places.append(place)
    }

    mutating func popFirst() -> Waiting? {
        guard head < places.count else { return nil }
        defer {
            head += 1
            if head > 64, head > places.count / 2 {
                places.removeSubrange(..<head)
                head = 0
            }
        }
        return places[head]
    }

    mutating func removeAll() {
        places.removeAll(keepingCapacity: true)
        head = 0
    }
}
