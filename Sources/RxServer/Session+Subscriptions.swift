internal import RxRecords
internal import Logging
internal import RxHost
internal import RxProtocol

// What becomes of subscriptions while they are open.

extension Session {
    /// One execution of several has ended; with the last the subscription does.
    func executionEnded(_ reason: EndReason, in subscription: Subscription) {
        subscription.unended -= 1
        if subscription.unended <= 0 { close(subscription, reason) }
    }

    /// All that was missed has been told.
    func didReplay(_ subscription: Subscription, _ portion: CatchUpPortion) {
        subscription.unended = portion.records.count { !$0.state.isFinal }
        if let reason = subscription.endsAfterReplay {
            close(subscription, reason)
        } else if subscription.unended == 0, let reason = portion.records.endReason {
            close(subscription, reason)
        }
    }

    /// The name of an action is no longer configured; a subscription without any action left ends.
    func drop(_ source: Hosted, from subscription: Subscription) {
        subscription.removed.insert(ObjectIdentifier(source))
        if subscription.source.sources.allSatisfy({ subscription.removed.contains(ObjectIdentifier($0)) }) {
            close(subscription, .removed)
        }
    }

    /// In a subscription to all, an action is to be seen or not, as its rights are now.
    func show(_ source: Hosted, in subscription: Subscription) {
        if maySubscribe(to: source) {
            if subscription.add(source), subscription.wantsPatches { watchPatches(of: source, by: 1) }
        } else {
            if subscription.remove(source), subscription.wantsPatches { watchPatches(of: source, by: -1) }
        }
    }

    /// Ends a subscription to an action that its client may not subscribe to any more. One to all goes on without it, and
    /// who asked for an execution sees it to its end.
    func authorizeAgain(_ subscription: Subscription, _ source: Hosted) {
        switch subscription.target {
        case .named:
            if !maySubscribe(to: source) { close(subscription, .revoked) }
        case .executions:
            guard case .executions(let executions) = subscription.source else { return }
            let maySee = executions.allSatisfy { execution in
                server.rights.allow(
                    .read, onExecutionBy: server.host.log.record(of: execution).by, under: execution.action.access,
                    by: connection.peer)
            }
            if !maySee { close(subscription, .revoked) }
        case .allActions, .allReactors, .requested:
            break
        }
    }

    func maySubscribe(to source: Hosted) -> Bool {
        server.rights.allow(.subscribe, on: source, by: connection.peer)
    }

    /// More waits than its reader wanted to have kept.
    func kick(_ subscription: Subscription) {
        let peer = connection.peer
        server.logger.notice(
            "a subscription ended: its reader is too slow",
            metadata: [
                "uid": "\(peer.uid)", "pid": "\(peer.pid)", "client": "\(client ?? "")",
                "subscription": "\(subscription.name)", "waiting": "\(subscription.waitingEvents.count)",
                "bytes": "\(connection.queuedBytes)",
            ])
        close(subscription, .limit)
    }
}

extension EndReason {
    /// Whether it tells of what was subscribed to, and not of the subscription.
    var isOfTarget: Bool {
        switch self {
        case .completed, .failed, .cancelled, .timedOut, .removed: true
        case .unsubscribed, .shutdown, .limit, .revoked: false
        }
    }
}

extension [ExecutionRecord] {
    /// How the last of them ended.
    var endReason: EndReason? {
        self.max { ($0.endedAt ?? 0) < ($1.endedAt ?? 0) }.flatMap { EndReason($0.state) }
    }
}
