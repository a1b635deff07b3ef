/// The sessions of all clients of a server.
final class SessionTable {
    private var sessions: [ObjectIdentifier: Session] = [:]
    /// The subscriptions of all sessions.
    let subscriptions = SubscriptionTable()
    /// Called when a session has ended and no other is left.
    var whenEmpty: (() -> Void)?

    var all: Dictionary<ObjectIdentifier, Session>.Values { sessions.values }

    var isEmpty: Bool { sessions.isEmpty }

    var count: Int { sessions.count }

    /// Bytes that the clients have not taken.
    var queuedBytes: Int { sessions.values.reduce(0) { $0 + $1.output.queuedBytes } }

    func insert(_ session: Session) {
        sessions[ObjectIdentifier(session)] = session
        session.client.account.connections += 1
    }

    func remove(_ session: Session) {
        guard sessions.removeValue(forKey: ObjectIdentifier(session)) != nil else { return }
        let account = session.client.account
        account.connections -= 1
        session.context.accounts.release(account)
        if isEmpty { whenEmpty?() }
    }
}
