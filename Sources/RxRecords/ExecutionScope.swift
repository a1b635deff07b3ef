/// Which executions someone may know of: those of some actions, and those that a user has asked for.
public struct ExecutionScope: Sendable, Hashable {
    public let actions: Set<String>
    public let uid: UInt32

    public init(actions: Set<String>, uid: UInt32) {
        self.actions = actions
        self.uid = uid
    }

    public func contains(_ record: ExecutionRecord) -> Bool {
        if actions.contains(record.action) { return true }
        guard case .peer(uid, _, _) = record.by else { return false }
        return true
    }
}
