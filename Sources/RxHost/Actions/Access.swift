/// The rights of peers other than the daemon's own user and root, in the ids that the kernel reports for a peer.
public struct Access: Sendable, Hashable {
    /// The users that have a right.
    public enum Grant: Sendable, Hashable {
        case everyone
        /// These users, and the members of these groups.
        case only(users: Set<UInt32>, groups: Set<UInt32>)

        /// No users.
        public static let nobody = Grant.only(users: [], groups: [])
    }

    /// The right to execute the action, or to dispatch to the reactor.
    public var execute: Grant
    /// The right to see elements, states, and records.
    public var subscribe: Grant
    /// The right to switch the action on and off and to cancel the executions of others.
    public var manage: Grant

    /// No rights.
    public static let nobody = Access(execute: .nobody, subscribe: .nobody, manage: .nobody)

    /// Everyone may use it, and no one may manage it, unless given.
    public init(execute: Grant = .everyone, subscribe: Grant = .everyone, manage: Grant = .nobody) {
        self.execute = execute
        self.subscribe = subscribe
        self.manage = manage
    }
}
