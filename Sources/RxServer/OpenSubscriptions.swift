internal import RxRecords
internal import JSONRPC
internal import Logging
internal import RxAction
internal import RxHost
internal import RxJSON
internal import RxProtocol

/// The subscriptions of one connection, from their opening to their `end`.
final class OpenSubscriptions {
    /// Longest name in bytes: the head of every event repeats it.
    private static let nameBytes = 128

    // Unsafe because checked references cost too much here; the session owns its subscriptions.
    private unowned(unsafe) let session: Session
    private let server: Server
    private var byName: [String: Subscription] = [:]
    /// Names of streams that are about to be opened.
    private var reserved: Set<String> = []

    init(of session: Session, on server: Server) {
        self.session = session
        self.server = server
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
        let limit = server.limits.subscriptionsPerConnection
        guard byName.count + reserved.count < limit else {
            throw .limitReached("subscriptionsPerConnection", limit)
        }
    }

    /// Keeps a name that was checked, until `release`.
    func reserve(_ name: String) {
        reserved.insert(name)
    }

    func release(_ name: String) {
        reserved.remove(name)
    }

    func open(_ subscription: Subscription) {
        byName[subscription.name] = subscription
        server.delivery.insert(subscription)
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
        subscription.unended = portion.records.count { !$0.state.isFinal }
        if let reason = subscription.endsAfterReplay {
            close(subscription, reason)
        } else if subscription.unended == 0, let reason = portion.records.endReason {
            close(subscription, reason)
        }
    }

    /// A source is no longer configured; a subscription without any source left ends.
    func drop(_ source: Hosted, from subscription: Subscription) {
        if subscription.lose(source) { close(subscription, .removed) }
    }

    /// Shows a source in a subscription to all, or hides it, as the client's rights are now.
    func show(_ source: Hosted, in subscription: Subscription) {
        if session.maySubscribe(to: source) {
            if subscription.add(source), subscription.wantsPatches { watchPatches(of: source, by: 1) }
        } else {
            if subscription.remove(source), subscription.wantsPatches { watchPatches(of: source, by: -1) }
        }
    }

    /// Ends the subscriptions to a source that the client may not subscribe to any more. One to all goes on without
    /// it, and the requester of an execution sees it to its end.
    func authorizeAgain(_ source: Hosted) {
        for subscription in byName.values
        where subscription.reads(source) && !isStillAllowed(subscription, source) {
            close(subscription, .revoked)
        }
    }

    private func isStillAllowed(_ subscription: Subscription, _ source: Hosted) -> Bool {
        switch (subscription.target, subscription.source) {
        case (.named, _):
            session.maySubscribe(to: source)
        case (.executions, .executions(let executions)):
            executions.allSatisfy { execution in
                server.rights.allow(
                    .read, onExecutionBy: server.host.log.record(of: execution).by,
                    under: execution.action.access,
                    by: session.connection.peer)
            }
        case (.executions, .named), (.allActions, _), (.allReactors, _), (.requested, _):
            true
        }
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
        let end = server.encoder.end(
            reason, cursor: server.host.log.cursor, time: Timestamp(milliseconds: server.host.time))
        session.connection.send(end, of: subscription)
    }

    func closeAll(_ reason: EndReason) {
        for subscription in byName.values { close(subscription, reason) }
    }

    /// Ends a subscription with `overflow: "end"` for which more waits than its buffer holds.
    func closeOverflowing(_ subscription: Subscription) {
        let peer = session.connection.peer
        server.logger.notice(
            "a subscription ended: its reader is too slow",
            metadata: [
                "uid": "\(peer.uid)", "pid": "\(peer.pid)", "client": "\(session.client ?? "")",
                "subscription": "\(subscription.name)", "waiting": "\(subscription.lane.count)",
                "bytes": "\(session.connection.queuedBytes)",
            ])
        close(subscription, .limit)
    }

    /// Forgets all of them: the client is gone.
    func end() {
        for subscription in byName.values { forget(subscription) }
        byName = [:]
    }

    private func forget(_ subscription: Subscription) {
        subscription.stopPacing()
        server.delivery.remove(subscription)
        server.host.log.unwatch(subscription.source, isAll: subscription.watchesAll)
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

extension EndReason {
    /// Whether it is about what was subscribed to, and not about the subscription.
    fileprivate var isOfTarget: Bool {
        switch self {
        case .completed, .failed, .cancelled, .timedOut, .removed: true
        case .unsubscribed, .shutdown, .limit, .revoked: false
        }
    }
}

extension [ExecutionRecord] {
    /// How the one of them ended that ended last.
    var endReason: EndReason? {
        self.max { ($0.endedAt ?? 0) < ($1.endedAt ?? 0) }.flatMap { EndReason($0.state) }
    }
}
