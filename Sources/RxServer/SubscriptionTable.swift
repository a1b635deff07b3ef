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
    /// The place of each subscription in the list of each of its sources, or of all: a search would hold up the loop
    /// when clients with many subscriptions leave.
    @exclusivity(unchecked) private var places: [ObjectIdentifier: [Int]] = [:]
    private(set) var count = 0

    func insert(_ subscription: Subscription, on output: ConnectionOutput) {
        let entry = Entry(subscription: subscription, output: output)
        let id = ObjectIdentifier(subscription)
        count += 1
        switch (subscription.target, subscription.source) {
        case (.all(let kind), _):
            places[id] = [ofAll[kind].append(entry, slot: 0)]
        case (_, .named(let sources)):
            places[id] = sources.enumerated().map { slot, source in
                bySource[ObjectIdentifier(source), default: List()].append(entry, slot: slot)
            }
        case (_, .executions(let executions)):
            for execution in executions { byExecution[execution.id, default: []].append(entry) }
        }
    }

    func remove(_ subscription: Subscription) {
        count -= 1
        let id = ObjectIdentifier(subscription)
        defer { places[id] = nil }
        switch (subscription.target, subscription.source) {
        case (.all(let kind), _):
            guard let place = places[id]?[0] else { return }
            moved(ofAll[kind].remove(at: place), to: place)
        case (_, .named(let sources)):
            for (slot, source) in sources.enumerated() {
                let key = ObjectIdentifier(source)
                guard let place = places[id]?[slot], let last = bySource[key]?.remove(at: place) else { continue }
                moved(last, to: place)
                if bySource[key]?.entries.isEmpty ?? false { bySource[key] = nil }
            }
        case (_, .executions(let executions)):
            for execution in executions {
                byExecution[execution.id]?.removeAll { $0.subscription === subscription }
                if byExecution[execution.id]?.isEmpty ?? false { byExecution[execution.id] = nil }
            }
        }
    }

    private func moved(_ last: List.Last, to place: Int) { places[last.subscription]?[last.slot] = place }

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

/// The subscriptions to one source.
private struct List {
    /// The subscription that was last in the list, and which of its sources this is.
    struct Last {
        let subscription: ObjectIdentifier
        let slot: Int
    }

    private(set) var entries: [SubscriptionTable.Entry] = []
    /// The channels of all subscriptions that are in the list, or were since it was last empty.
    private(set) var channels: Channel.Set = []
    /// Which of each subscription's sources this is.
    private var slots: [Int] = []

    /// - Returns: the place of the subscription.
    mutating func append(_ entry: SubscriptionTable.Entry, slot: Int) -> Int {
        entries.append(entry)
        channels.formUnion(entry.subscription.channels)
        slots.append(slot)
        return entries.count - 1
    }

    /// Removes the subscription at a place; the last one takes the place.
    mutating func remove(at place: Int) -> Last {
        let last = entries.removeLast()
        let slot = slots.removeLast()
        if entries.isEmpty { channels = [] }
        if place < entries.count { (entries[place], slots[place]) = (last, slot) }
        return Last(subscription: ObjectIdentifier(last.subscription), slot: slot)
    }
}
