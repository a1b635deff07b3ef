/// The sessions of all clients of a server.
final class SessionTable {
    private var sessions: [ObjectIdentifier: Session] = [:]
    /// The subscriptions of all sessions.
    let subscriptions = SubscriptionTable()
    /// Called when a session has ended and no other is left.
    var whenEmpty: (() -> Void)?

    var all: Dictionary<ObjectIdentifier, Session>.Values { sessions.values }

    var isEmpty: Bool { sessions.isEmpty }

    /// How many sessions are served: those that are refused are gone once the reason is sent.
    private(set) var served = 0

    /// Bytes that the clients have not taken.
    var queuedBytes: Int { sessions.values.reduce(0) { $0 + $1.output.queuedBytes } }

    func insert(_ session: Session) {
        sessions[ObjectIdentifier(session)] = session
        session.client.account.connections += 1
    }

    /// The session is not refused.
    func serve(_ session: Session) {
        session.isServed = true
        served += 1
    }

    func remove(_ session: Session) {
        guard sessions.removeValue(forKey: ObjectIdentifier(session)) != nil else { return }
        if session.isServed { served -= 1 }
        let account = session.client.account
        account.connections -= 1
        session.context.accounts.release(account)
        if isEmpty { whenEmpty?() }
    }
}
