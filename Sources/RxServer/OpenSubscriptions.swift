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
    // Used on the loop alone, in accesses that call nothing which knows it.
    @exclusivity(unchecked) private var byName: [String: Open] = [:] {
        didSet { output.hasSeveralSubscriptions = byName.count > 1 }
    }
    /// Names of streams that are about to be opened.
    private var reserved: Set<String> = []

    private struct Open {
        let subscription: Subscription
        /// What its user is charged with while it is open.
        var bytesCharged: Int
        /// How many of its executions have not ended.
        var unended: Int
        /// Why it ends once it has caught up.
        var endsAfterCatchUp: EndReason?
    }

    private typealias Place = Dictionary<String, Open>.Index

    init(on output: ConnectionOutput, _ client: Client, _ table: SubscriptionTable, of context: ServerContext) {
        self.output = output
        self.client = client
        self.table = table
        self.context = context
    }

    var isEmpty: Bool { byName.isEmpty }
    var all: some Sequence<Subscription> { byName.values.lazy.map(\.subscription) }

    subscript(name: String) -> Subscription? { byName[name]?.subscription }

    /// Where the subscription is; nil if it has ended.
    private func place(of subscription: Subscription) -> Place? {
        guard let place = byName.index(forKey: subscription.name), byName.values[place].subscription === subscription
        else { return nil }
        return place
    }

    /// Whether the subscription has not ended.
    func contains(_ subscription: Subscription) -> Bool { place(of: subscription) != nil }

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

    /// What a subscription to executions keeps: their records, however many others have ended meanwhile.
    func bytes(of executions: [HostedExecution]) -> Int {
        executions.reduce(Self.bytesOfOne) { bytes, execution in
            // Whatever is longer before the end, its user is charged with it.
            let record = min(context.host.log.record(of: execution).approximateBytes, ExecutionRecord.bytesOfEnded)
            return bytes + Self.bytesOfSource + record
        }
    }

    private func bytes(of subscription: Subscription) -> Int {
        switch (subscription.target, subscription.source) {
        case (.executions, .executions(let executions)): bytes(of: executions)
        // An execution that was requested is gone when the subscription is.
        case (_, let source): Self.bytesOfOne + source.sources.count * Self.bytesOfSource
        }
    }

    private func charge(_ bytes: Int, at place: Place) {
        byName.values[place].bytesCharged += bytes
        client.account.keep(bytes)
    }

    /// Keeps a name that was checked, until `release`.
    func reserve(_ name: String) {
        reserved.insert(name)
    }

    func release(_ name: String) {
        reserved.remove(name)
    }

    /// - Parameter unended: how many of its executions have not ended.
    func open(_ subscription: Subscription, unended: Int = 1) {
        let bytes = bytes(of: subscription)
        byName[subscription.name] = Open(subscription: subscription, bytesCharged: bytes, unended: unended)
        client.account.keep(bytes)
        table.insert(subscription, on: output)
        if subscription.wantsPatches { watchPatches(subscription, by: 1) }
    }

    // MARK: While open

    /// One execution of several has ended; the subscription ends with the last, and keeps the record until then.
    func executionEnded(_ reason: EndReason, _ record: ExecutionRecord, in subscription: Subscription) {
        guard let place = place(of: subscription) else { return }
        byName.values[place].unended -= 1
        if byName.values[place].unended > 0 {
            charge(record.errorBytes, at: place)
        } else {
            close(at: place, reason)
        }
    }

    /// A subscription has caught up.
    func didCatchUp(_ subscription: Subscription, _ portion: CatchUpPortion) {
        guard let place = place(of: subscription) else { return }
        let reason = byName.values[place].endsAfterCatchUp ?? portion.ended.endReason
        if case .executions(let executions) = subscription.source {
            let unended = executions.count - portion.ended.count
            byName.values[place].unended = unended
            guard unended == 0 || reason == .caughtUp else { return }
        }
        if let reason { close(at: place, reason, after: portion.cursor) }
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

    /// Sends the subscription's last event and forgets it; if it is catching up, after that.
    ///
    /// - Parameter cursor: the last event before the end; nil for the last one that was delivered. A reader that comes
    ///   back goes on after it.
    func close(_ subscription: Subscription, _ reason: EndReason, after cursor: UInt64? = nil) {
        if let place = place(of: subscription) { close(at: place, reason, after: cursor) }
    }

    private func close(at place: Place, _ reason: EndReason, after cursor: UInt64? = nil) {
        let subscription = byName.values[place].subscription
        if subscription.position != nil, reason.followsPast {
            byName.values[place].endsAfterCatchUp = reason
            return
        }
        let open = byName.remove(at: place).value
        let last = subscription.position?.reached ?? cursor ?? subscription.reached(context.reached)
        subscription.end()
        forget(open)
        let end = context.encoder.end(reason, cursor: last, time: Timestamp(milliseconds: context.host.time))
        output.send(end, of: subscription)
    }

    func closeAll(_ reason: EndReason) {
        for subscription in all { close(subscription, reason) }
    }

    /// Ends a subscription with `overflow: "end"` for which more waits than its buffer holds.
    ///
    /// - Parameter cursor: that of the first event without room.
    func closeOverflowing(_ subscription: Subscription, before cursor: UInt64) {
        context.logger.notice(
            "a subscription ended: its reader is too slow",
            metadata: [
                "uid": "\(client.peer.uid)", "pid": "\(client.peer.pid)", "client": "\(client.name ?? "")",
                "subscription": "\(subscription.name)", "waiting": "\(subscription.lane.count)",
                "bytes": "\(output.queuedBytes)",
            ])
        close(subscription, .limit, after: cursor - 1)
    }

    /// Forgets all of them: the client is gone.
    func end() {
        for open in byName.values { forget(open) }
        byName = [:]
    }

    private func forget(_ open: Open) {
        let subscription = open.subscription
        client.account.keep(-open.bytesCharged)
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
