/// The executions that a user may see: those of some actions, and the user's own.
public struct ExecutionScope: Sendable, Hashable {
    /// The names of the actions.
    public let actions: Set<String>
    /// The user, whose own executions are included.
    public let uid: UInt32

    /// The executions of `actions` and those requested by `uid`.
    public init(actions: Set<String>, uid: UInt32) {
        self.actions = actions
        self.uid = uid
    }

    /// Whether an execution is in the scope.
    public func contains(_ record: ExecutionRecord) -> Bool {
        if actions.contains(record.action) { return true }
        return record.by.uid == uid
    }
}
