internal import RxRecords
internal import JSONRPC
internal import Logging
internal import RxAction
internal import RxHost
internal import RxJSON
internal import RxProtocol

/// The subscriptions of one client, from their opening to their `end`.
final class OpenSubscriptions {
    /// Longest name in bytes: the head of every event repeats it.
    private static let nameBytes = 128
    /// The memory of a subscription, approximately, and of each of its sources.
    private static let (bytesOfOne, bytesOfSource) = (2048, 64)

    // Unsafe because checked references cost too much here; the output owns its subscriptions.
    private unowned(unsafe) let output: ConnectionOutput
    private let client: Client
    private let context: ServerContext
    /// The subscriptions of all clients.
    private let table: SubscriptionTable
    private var byName: [String: Subscription] = [:]
    /// Names of streams that are about to be opened.
    private var reserved: Set<String> = []

    init(on output: ConnectionOutput, _ client: Client, _ table: SubscriptionTable, of context: ServerContext) {
        self.output = output
        self.client = client
        self.table = table
        self.context = context
    }

    var isEmpty: Bool { byName.isEmpty }
    var all: Dictionary<String, Subscription>.Values { byName.values }

    subscript(name: String) -> Subscription? { byName[name] }

    /// Whether the subscription has not ended.
    func contains(_ subscription: Subscription) -> Bool { byName[subscription.name] === subscription }

    // MARK: Opening

    /// - Throws: if the name is taken, empty or too long, or the connection has too many subscriptions.
    func checkNew(_ name: String, parameter: StaticString) throws(RPCError) {
        guard (1...Self.nameBytes).contains(name.utf8.count) else {
            throw .refused([
                RPCError.Fault(path: "/\(parameter)", message: "must have 1 to \(Self.nameBytes) bytes")
            ])
        }
        guard byName[name] == nil, !reserved.contains(name) else {
            throw RPCError(.duplicateSubscription) { $0.field("subscription", name) }
        }
        let limit = context.limits.subscriptionsPerConnection
        guard byName.count + reserved.count < limit else {
            throw .limitReached("subscriptionsPerConnection", limit)
        }
        if let refusal = output.refusal(ofKeeping: Self.bytesOfOne) { throw refusal }
    }

    private func charge(_ subscription: Subscription) {
        subscription.bytesCharged = Self.bytesOfOne + subscription.source.sources.count * Self.bytesOfSource
        client.account.keep(subscription.bytesCharged)
    }

    /// Keeps a name that was checked, until `release`.
    func reserve(_ name: String) {
        reserved.insert(name)
    }

    func release(_ name: String) {
        reserved.remove(name)
    }

    func open(_ subscription: Subscription) {
        subscription.reveals = { [client] in client.maySubscribe(toReactor: $0) }
        byName[subscription.name] = subscription
        charge(subscription)
        table.insert(subscription, on: output)
        if subscription.wantsPatches { watchPatches(subscription, by: 1) }
    }

    // MARK: While open

    /// One execution of several has ended; the subscription ends with the last.
    func executionEnded(_ reason: EndReason, in subscription: Subscription) {
        subscription.unended -= 1
        if subscription.unended <= 0 { close(subscription, reason) }
    }

    /// The replay is over.
    func didReplay(_ subscription: Subscription, _ portion: CatchUpPortion) {
        if case .executions(let executions) = subscription.source {
            subscription.unended = executions.count - portion.ended.count
            guard subscription.unended == 0 else { return }
        }
        if let reason = subscription.endsAfterReplay ?? portion.ended.endReason { close(subscription, reason) }
    }

    /// A source is no longer configured; a subscription without any source left ends.
    func drop(_ source: Hosted, from subscription: Subscription) {
        if subscription.lose(source) { close(subscription, .removed) }
    }

    /// Shows a source in a subscription to all, or hides it, as the client's rights are now.
    func show(_ source: Hosted, in subscription: Subscription) {
        if client.maySubscribe(to: source) {
            if subscription.add(source), subscription.wantsPatches { watchPatches(of: source, by: 1) }
        } else {
            if subscription.remove(source), subscription.wantsPatches { watchPatches(of: source, by: -1) }
        }
    }

    /// Ends a subscription to names or executions if the client may not have it any more. One to all goes on without
    /// what it may not read, and the requester of an execution sees it to its end.
    ///
    /// - Parameter sources: those whose rights may have changed.
    /// - Returns: how many names and executions it had.
    func authorizeAgain(_ subscription: Subscription, for sources: [ObjectIdentifier: Hosted]) -> Int {
        let (target, source) = (subscription.target, subscription.source)
        let count = source.sources.count
        let changed = source.sources.filter { sources[ObjectIdentifier($0)] != nil }
        guard !changed.isEmpty else { return count }
        let isAllowed =
            switch (target, source) {
            case (.named, _): changed.allSatisfy { client.maySubscribe(to: $0) }
            case (.executions, .executions(let executions)): executions.allSatisfy { client.mayRead($0) }
            case (.executions, .named), (.all, _), (.requested, _): true
            }
        if !isAllowed { close(subscription, .revoked) }
        return count
    }

    // MARK: Ending

    /// Sends the subscription's last event and forgets it; if it is replaying what it missed, after that.
    func close(_ subscription: Subscription, _ reason: EndReason) {
        if subscription.position != nil, reason.isOfTarget {
            subscription.endsAfterReplay = reason
            return
        }
        guard contains(subscription) else { return }
        byName[subscription.name] = nil
        subscription.end()
        forget(subscription)
        let end = context.encoder.end(
            reason, cursor: context.host.log.cursor, time: Timestamp(milliseconds: context.host.time))
        output.send(end, of: subscription)
    }

    func closeAll(_ reason: EndReason) {
        for subscription in byName.values { close(subscription, reason) }
    }

    /// Ends a subscription with `overflow: "end"` for which more waits than its buffer holds.
    func closeOverflowing(_ subscription: Subscription) {
        context.logger.notice(
            "a subscription ended: its reader is too slow",
            metadata: [
                "uid": "\(client.peer.uid)", "pid": "\(client.peer.pid)", "client": "\(client.name ?? "")",
                "subscription": "\(subscription.name)", "waiting": "\(subscription.lane.count)",
                "bytes": "\(output.queuedBytes)",
            ])
        close(subscription, .limit)
    }

    /// Forgets all of them: the client is gone.
    func end() {
        for subscription in byName.values { forget(subscription) }
        byName = [:]
    }

    private func forget(_ subscription: Subscription) {
        client.account.keep(-subscription.bytesCharged)
        subscription.stopPacing()
        table.remove(subscription)
        context.host.log.unwatch(subscription.source, isAll: subscription.watchesAll)
        if subscription.wantsPatches { watchPatches(subscription, by: -1) }
    }

    // MARK: Patches

    private func watchPatches(of source: Hosted, by change: Int) {
        (source as? HostedReactor)?.watchPatches(change)
    }

    private func watchPatches(_ subscription: Subscription, by change: Int) {
        for source in subscription.source.sources { watchPatches(of: source, by: change) }
    }
}
