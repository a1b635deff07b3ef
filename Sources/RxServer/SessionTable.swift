/// The sessions of all clients of a server.
final class SessionTable {
    private var sessions: [ObjectIdentifier: Session] = [:]
    private var countByUser: [UInt32: Int] = [:]
    /// The subscriptions of all sessions.
    let subscriptions = SubscriptionTable()
    /// Called when a session has ended and no other is left.
    var whenEmpty: (() -> Void)?

    var all: Dictionary<ObjectIdentifier, Session>.Values { sessions.values }

    var isEmpty: Bool { sessions.isEmpty }

    var count: Int { sessions.count }

    /// The number of sessions of one user.
    func count(of uid: UInt32) -> Int { countByUser[uid, default: 0] }

    /// Bytes that the clients have not taken.
    var queuedBytes: Int { sessions.values.reduce(0) { $0 + $1.output.queuedBytes } }

    func insert(_ session: Session) {
        sessions[ObjectIdentifier(session)] = session
        countByUser[session.client.peer.uid, default: 0] += 1
    }

    func remove(_ session: Session) {
        guard sessions.removeValue(forKey: ObjectIdentifier(session)) != nil else { return }
        let uid = session.client.peer.uid
        let left = count(of: uid) - 1
        countByUser[uid] = left > 0 ? left : nil
        if isEmpty { whenEmpty?() }
    }
}
