internal import RxRecords
internal import Rx
public import RxHost

/// What a peer may do. Decides and does nothing else; asked by `Session` alone, for every method and every stream.
///
/// The daemon's own user and root may do everything. Others may do what an action's `Access` grants to their uid, to their
/// group or to one of their supplementary groups, as the kernel noted them when they connected.
public final class Rights: Sendable {
    public enum Operation: String, Sendable, CaseIterable {
        /// Name, description, levels: for whoever has any right on the action.
        case read
        /// What executions yield, and the records of all of them.
        case subscribe
        case execute
        /// Changes how the action itself behaves, or the daemon, and ends what others asked for.
        case manage
    }

    /// The daemon's own user, who may do everything, as root may.
    public let owner: UInt32
    private let ofServer: Locked<Access>

    /// - Parameter server: what others may do with the server itself, of which only `manage` is asked.
    public init(owner: UInt32, server: Access = Access()) {
        self.owner = owner
        ofServer = Locked(server)
    }

    /// Holds from the next request on.
    public func set(server access: Access) {
        ofServer.withLock { $0 = access }
    }

    /// Without an action, of the server itself: whoever may open the socket may ask what it is.
    public func allow(_ operation: Operation, on hosted: Hosted?, by peer: Peer) -> Bool {
        if isMaster(peer) { return true }
        if let hosted { return operations(under: hosted.access, to: peer).contains(operation) }
        return operation == .read || operations(under: ofServer.withLock { $0 }, to: peer).contains(operation)
    }

    /// All that the peer may do under `access`.
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

    private func isMaster(_ peer: Peer) -> Bool { peer.uid == 0 || peer.uid == owner }

    // MARK: Executions

    /// To see a record, or to wait for its end, takes the right to subscribe or to have asked for it; to cancel, the right
    /// to manage, or to execute and to have asked for it.
    ///
    /// - Parameter access: nil where nothing is known of the action any more; then it is for who asked.
    func allow(
        _ operation: ExecutionOperation, onExecutionBy origin: Origin, under access: Access?, by peer: Peer
    ) -> Bool {
        if isMaster(peer) { return true }
        let isOwn = peer.hasAsked(origin)
        guard let access else { return isOwn }
        let allowed = operations(under: access, to: peer)
        return switch operation {
        case .read: isOwn || allowed.contains(.subscribe)
        case .cancel: allowed.contains(.manage) || (isOwn && allowed.contains(.execute))
        }
    }

    /// The records that the peer may see, as `allow(.read, onExecutionBy:…)` has it; nil for all.
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
    /// Whether it was this user that asked.
    func hasAsked(_ origin: Origin) -> Bool {
        switch origin {
        case .peer(let uid, _, _): uid == self.uid
        case .trigger, .host: false
        }
    }
}
