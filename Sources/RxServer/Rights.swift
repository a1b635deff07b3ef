internal import RxRecords
internal import Rx
public import RxHost

/// Decides what a peer may do, and does nothing else.
///
/// The daemon's own user and root may do everything. Others may do what an action's `Access` grants to their uid, to
/// their group, or to one of their supplementary groups, as the kernel recorded them when they connected.
public final class Rights: Sendable {
    /// What a right allows.
    public enum Operation: String, Sendable, CaseIterable {
        /// To see name, description, and levels: every peer with any right on the action.
        case read
        /// To see what executions yield, and the records of all of them.
        case subscribe
        /// To execute the action, or to dispatch to the reactor.
        case execute
        /// To change how the action or the daemon behaves, and to cancel what others requested.
        case manage
    }

    /// The daemon's own user, who may do everything, as root may.
    public let owner: UInt32
    private let ofServer: Locked<Access>
    private let contactKept: Locked<String?>

    /// - Parameters:
    ///   - owner: the daemon's own user.
    ///   - server: what others may do with the server itself; only `manage` matters.
    ///   - contact: whom to ask for a right.
    public init(owner: UInt32, server: Access = Access(), contact: String? = nil) {
        self.owner = owner
        contactKept = Locked(contact)
        ofServer = Locked(server)
    }

    /// Changes what others may do with the server itself, from the next request on.
    public func set(server access: Access) {
        ofServer.withLock { $0 = access }
    }

    /// Whom to ask for a right; nil if nobody is named.
    public var contact: String? { contactKept.withLock { $0 } }

    /// Changes whom to ask for a right.
    public func set(contact: String?) { contactKept.withLock { $0 = contact } }

    /// Whether a peer may do something with an action or a reactor; nil means the server itself, whose status every
    /// peer may read.
    public func allow(_ operation: Operation, on hosted: Hosted?, by peer: Peer) -> Bool {
        if isMaster(peer) { return true }
        if let hosted { return operations(under: hosted.access, to: peer).contains(operation) }
        return operation == .read || operations(under: ofServer.withLock { $0 }, to: peer).contains(operation)
    }

    /// Everything that the peer may do under `access`.
    func operations(under access: @autoclosure () -> Access, to peer: Peer) -> Operations {
        if isMaster(peer) { return .all }
        let access = access()
        var allowed: Operations = []
        if access.execute.holds(for: peer) { allowed.insert(.execute) }
        if access.subscribe.holds(for: peer) { allowed.insert(.subscribe) }
        if access.manage.holds(for: peer) { allowed.insert(.manage) }
        if !allowed.isEmpty { allowed.insert(.read) }
        return allowed
    }

    func isMaster(_ peer: Peer) -> Bool { peer.uid == 0 || peer.uid == owner }

    // MARK: Executions

    /// Whether a peer may do something with an execution, by the nearest of its causes. To see its record or to wait
    /// for its end takes the right to subscribe, or to be its requester; to cancel it takes the right to manage, or to
    /// be its requester with the right to execute.
    ///
    /// - Parameter access: the action's; nil if the action is not known any more, and then only the requester may.
    func allow(
        _ operation: ExecutionOperation, onExecutionBy origin: Origin, under access: Access?, by peer: Peer
    ) -> Bool {
        if isMaster(peer) { return true }
        let isOwn = peer.isRequester(origin)
        guard let access else { return isOwn }
        let allowed = operations(under: access, to: peer)
        return switch operation {
        case .read: isOwn || allowed.contains(.subscribe)
        case .cancel: allowed.contains(.manage) || (isOwn && allowed.contains(.execute))
        }
    }

    /// The records that the peer may see, as `allow(.read, onExecutionBy:…)` decides; nil for all.
    func scope(of peer: Peer, in host: Host) -> ExecutionScope? {
        if isMaster(peer) { return nil }
        let names = host.actionNames { operations(under: $0, to: peer).contains(.subscribe) }
        return ExecutionScope(actions: names, uid: peer.uid)
    }

    enum ExecutionOperation: String, Sendable, CaseIterable {
        case read, cancel
    }

    /// A set of operations.
    struct Operations: OptionSet, Sendable {
        let rawValue: UInt8

        static let read = Operations(rawValue: 1)
        static let subscribe = Operations(rawValue: 2)
        static let execute = Operations(rawValue: 4)
        static let manage = Operations(rawValue: 8)
        static let all: Operations = [.read, .subscribe, .execute, .manage]

        init(rawValue: UInt8) { self.rawValue = rawValue }

        init(_ operation: Operation) {
            self =
                switch operation {
                case .read: .read
                case .subscribe: .subscribe
                case .execute: .execute
                case .manage: .manage
                }
        }

        func contains(_ operation: Operation) -> Bool { contains(Operations(operation)) }
    }
}

extension Access.Grant {
    func holds(for peer: Peer) -> Bool {
        switch self {
        case .everyone: true
        case .only(let users, let groups):
            users.contains(peer.uid)
                || (!groups.isEmpty && (groups.contains(peer.gid) || peer.groups.contains { groups.contains($0) }))
        }
    }
}

extension Peer {
    /// Whether this user is the requester: not of an execution that a rule started, whoever dispatched to its reactor.
    func isRequester(_ origin: Origin) -> Bool { origin.uid == uid }
}
