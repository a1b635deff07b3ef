public import RxRecords
internal import RxHost

/// The process at the other end of a connection, as the kernel identified it when it connected.
public struct Peer: Sendable, Hashable {
    /// The user id.
    public let uid: UInt32
    /// The group id.
    public let gid: UInt32
    /// The process id.
    public let pid: Int32
    /// Supplementary groups.
    public let groups: [UInt32]

    /// Credentials that were read from the kernel.
    public init(uid: UInt32, gid: UInt32, pid: Int32, groups: [UInt32]) {
        self.uid = uid
        self.gid = gid
        self.pid = pid
        self.groups = groups
    }

    /// The peer as the requester of an execution.
    public var origin: Origin { .peer(uid: uid, gid: gid, pid: pid) }
}
