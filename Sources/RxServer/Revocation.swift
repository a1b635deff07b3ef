internal import RxHost
internal import RxProtocol

extension Server {
    /// Ends the streams of clients that may no longer see what is on them. To be called on the loop after a reload that
    /// may have changed rights; what is asked from then on is measured by the new ones anyway.
    public func endRevokedSubscriptions() {
        for connection in connections.values { connection.session.endRevokedSubscriptions() }
    }
}

extension Session {
    /// Whether the client may still see what happens with the action.
    func maySubscribe(to action: HostedAction) -> Bool {
        server.rights.allow(.subscribe, on: action, by: connection.peer)
    }

    /// A subscription to several actions ends with the right to one of them: it is no longer what was asked for.
    func endRevokedSubscriptions() {
        for subscription in subscriptions.values where isRevoked(subscription) {
            close(subscription, .revoked)
        }
    }

    private func isRevoked(_ subscription: Subscription) -> Bool {
        switch subscription.target {
        case .actions(let actions): !actions.allSatisfy(maySubscribe)
        // The stream that came with its own request.
        case .execution: false
        }
    }
}
