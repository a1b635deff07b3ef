internal import RxAction
internal import RxHost
internal import RxProtocol

/// All subscriptions of a server, by what they watch.
final class SubscriptionTable {
    /// A subscription and where its events are written.
    struct Entry {
        let subscription: Subscription
        // Unsafe because checked references cost too much here; an output removes its subscriptions when it is closed.
        unowned(unsafe) let output: ConnectionOutput
    }

    // While any of this changes, nothing is called that knows the table: hence no dynamic checks of overlapping
    // accesses, of which each event would cost several.
    @exclusivity(unchecked) private var bySource: [ObjectIdentifier: List] = [:]
    @exclusivity(unchecked) private var byExecution: [ExecutionID: [Entry]] = [:]
    @exclusivity(unchecked) private var ofAll = Kinds()
    private(set) var count = 0

    func insert(_ subscription: Subscription, on output: ConnectionOutput) {
        let entry = Entry(subscription: subscription, output: output)
        count += 1
        switch (subscription.target, subscription.source) {
        case (.all(let kind), _):
            subscription.places = [0]
            ofAll[kind].append(entry, slot: 0)
        case (_, .named(let sources)):
            subscription.places = Array(repeating: 0, count: sources.count)
            for (slot, source) in sources.enumerated() {
                bySource[ObjectIdentifier(source), default: List()].append(entry, slot: slot)
            }
        case (_, .executions(let executions)):
            for execution in executions { byExecution[execution.id, default: []].append(entry) }
        }
    }

    func remove(_ subscription: Subscription) {
        count -= 1
        switch (subscription.target, subscription.source) {
        case (.all(let kind), _):
            ofAll[kind].remove(at: subscription.places[0])
        case (_, .named(let sources)):
            for (slot, source) in sources.enumerated() {
                let key = ObjectIdentifier(source)
                bySource[key]?.remove(at: subscription.places[slot])
                if bySource[key]?.entries.isEmpty ?? false { bySource[key] = nil }
            }
        case (_, .executions(let executions)):
            for execution in executions {
                byExecution[execution.id]?.removeAll { $0.subscription === subscription }
                if byExecution[execution.id]?.isEmpty ?? false { byExecution[execution.id] = nil }
            }
        }
    }

    /// The subscriptions to a source by its name, in no order.
    func of(_ source: Hosted) -> [Entry] { bySource[ObjectIdentifier(source)]?.entries ?? [] }

    /// The subscriptions to all sources of its kind, in no order. Not each may read every source.
    func ofAll(like source: Hosted) -> [Entry] { ofAll[source.kind].entries }

    /// The channels that any subscription to a source, or to all of its kind, carries.
    func channels(of source: Hosted) -> Channel.Set {
        ofAll[source.kind].channels.union(bySource[ObjectIdentifier(source)]?.channels ?? [])
    }

    func of(_ execution: ExecutionID) -> [Entry] {
        byExecution.isEmpty ? [] : byExecution[execution] ?? []
    }
}

/// The subscriptions to all names of a kind.
private struct Kinds {
    private var actions = List()
    private var reactors = List()
    private var streams = List()

    subscript(kind: HostedKind) -> List {
        get {
            switch kind {
            case .action: actions
            case .reactor: reactors
            case .stream: streams
            }
        }
        _modify {
            switch kind {
            case .action: yield &actions
            case .reactor: yield &reactors
            case .stream: yield &streams
            }
        }
    }
}

/// The subscriptions to one source. Each knows its place, because a search would hold up the loop when clients with
/// many subscriptions leave.
private struct List {
    private(set) var entries: [SubscriptionTable.Entry] = []
    /// The channels of all subscriptions that are in the list, or were since it was last empty.
    private(set) var channels: Channel.Set = []
    /// Which of each subscription's sources this is.
    private var slots: [Int] = []

    mutating func append(_ entry: SubscriptionTable.Entry, slot: Int) {
        entry.subscription.places[slot] = entries.count
        entries.append(entry)
        channels.formUnion(entry.subscription.channels)
        slots.append(slot)
    }

    /// Removes the subscription at a place; the last one takes the place.
    mutating func remove(at place: Int) {
        let last = entries.removeLast()
        let slot = slots.removeLast()
        if entries.isEmpty { channels = [] }
        guard place < entries.count else { return }
        entries[place] = last
        slots[place] = slot
        last.subscription.places[slot] = place
    }
}
