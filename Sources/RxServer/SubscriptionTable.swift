internal import RxAction
internal import RxHost
internal import RxProtocol

/// All subscriptions of a server, by what they watch.
struct SubscriptionTable {
    private var bySource: [ObjectIdentifier: List] = [:]
    private var byExecution: [ExecutionID: [Subscription]] = [:]
    private var ofAllActions = List()
    private var ofAllReactors = List()
    private(set) var count = 0

    mutating func insert(_ subscription: Subscription) {
        count += 1
        switch (subscription.target, subscription.source) {
        case (.allActions, _):
            subscription.places = [0]
            ofAllActions.append(subscription, slot: 0)
        case (.allReactors, _):
            subscription.places = [0]
            ofAllReactors.append(subscription, slot: 0)
        case (_, .named(let sources)):
            subscription.places = Array(repeating: 0, count: sources.count)
            for (slot, source) in sources.enumerated() {
                bySource[ObjectIdentifier(source), default: List()].append(subscription, slot: slot)
            }
        case (_, .executions(let executions)):
            for execution in executions { byExecution[execution.id, default: []].append(subscription) }
        }
    }

    mutating func remove(_ subscription: Subscription) {
        count -= 1
        switch (subscription.target, subscription.source) {
        case (.allActions, _):
            ofAllActions.remove(at: subscription.places[0])
        case (.allReactors, _):
            ofAllReactors.remove(at: subscription.places[0])
        case (_, .named(let sources)):
            for (slot, source) in sources.enumerated() {
                let key = ObjectIdentifier(source)
                bySource[key]?.remove(at: subscription.places[slot])
                if bySource[key]?.subscriptions.isEmpty ?? false { bySource[key] = nil }
            }
        case (_, .executions(let executions)):
            for execution in executions {
                byExecution[execution.id]?.removeAll { $0 === subscription }
                if byExecution[execution.id]?.isEmpty ?? false { byExecution[execution.id] = nil }
            }
        }
    }

    /// The subscriptions to a source by its name, in no order.
    func of(_ source: Hosted) -> [Subscription] { bySource[ObjectIdentifier(source)]?.subscriptions ?? [] }

    /// The subscriptions to all sources of its kind, in no order. Not each may read every source.
    func ofAll(like source: Hosted) -> [Subscription] {
        source is HostedAction ? ofAllActions.subscriptions : ofAllReactors.subscriptions
    }

    /// The channels that any subscription to a source, or to all of its kind, carries.
    func channels(of source: Hosted) -> Channel.Set {
        (source is HostedAction ? ofAllActions : ofAllReactors).channels.union(
            bySource[ObjectIdentifier(source)]?.channels ?? [])
    }

    func of(_ execution: ExecutionID) -> [Subscription] {
        byExecution.isEmpty ? [] : byExecution[execution] ?? []
    }
}

/// The subscriptions to one source. Each knows its place, because a search would hold up the loop when clients with
/// many subscriptions leave.
private struct List {
    private(set) var subscriptions: [Subscription] = []
    /// The channels of all subscriptions that are in the list, or were since it was last empty.
    private(set) var channels: Channel.Set = []
    /// Which of each subscription's sources this is.
    private var slots: [Int] = []

    mutating func append(_ subscription: Subscription, slot: Int) {
        subscription.places[slot] = subscriptions.count
        subscriptions.append(subscription)
        channels.formUnion(subscription.channels)
        slots.append(slot)
    }

    /// Removes the subscription at a place; the last one takes the place.
    mutating func remove(at place: Int) {
        let last = subscriptions.removeLast()
        let slot = slots.removeLast()
        if subscriptions.isEmpty { channels = [] }
        guard place < subscriptions.count else { return }
        subscriptions[place] = last
        slots[place] = slot
        last.places[slot] = place
    }
}
