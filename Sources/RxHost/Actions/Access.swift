internal import Rx

/// Who may do what with an action besides the daemon's own user and root, in the ids that the kernel tells of a peer.
public struct Access: Sendable, Hashable {
    public enum Grant: Sendable, Hashable {
        case everyone
        /// These users and the members of these groups; nobody, if there are none.
        case only(users: Set<UInt32>, groups: Set<UInt32>)

        public static let nobody = Grant.only(users: [], groups: [])
    }

    public var execute: Grant
    /// To see what executions yield, and their records.
    public var subscribe: Grant
    /// To switch the action on and off and to cancel what others asked for.
    public var manage: Grant

    public init(execute: Grant = .everyone, subscribe: Grant = .everyone, manage: Grant = .nobody) {
        self.execute = execute
        self.subscribe = subscribe
        self.manage = manage
    }
}

extension HostedAction {
    /// Whether its work is executed by who asks: too many and too quick to tell of each.
    public var isInline: Bool { currentDefinition.value.scheduler == .inline }
}

extension Host {
    /// The access to an action by name, also to one that is no longer configured; nil for one this host never had.
    public func access(toActionNamed name: String) -> Access? {
        (registry[name] ?? retired.withLock { $0[name] })?.access
    }

    /// The names of actions to which there is such an access, as `access(toActionNamed:)` tells it.
    public func actionNames(where isWanted: (Access) -> Bool) -> Set<String> {
        let gone = retired.withLock { Array($0.values) }
        return Set((registry.actions + gone).filter { isWanted($0.access) }.map(\.name))
    }
}
