internal import JSONRPC
public import RxHost
internal import RxProtocol

/// What a peer may do. Asked by `Session` alone, for every method and every stream.
public struct Rights: Sendable {
    public enum Operation: String, Sendable, CaseIterable {
        /// Names, descriptions, levels, records.
        case read
        case subscribe
        case execute
        /// Changes how the daemon itself behaves.
        case manage
    }

    /// The daemon's own user, who may do everything, as root may.
    public let owner: UInt32

    public init(owner: UInt32) {
        self.owner = owner
    }

    /// Whoever may open the socket may read, subscribe and execute; managing is for the owner and root.
    public func allow(_ operation: Operation, on action: HostedAction?, by peer: Peer) -> Bool {
        if peer.uid == 0 || peer.uid == owner { return true }
        switch operation {
        case .read, .subscribe, .execute: return true
        case .manage: return false
        }
    }
}
