internal import CEpoll
public import Glibc

/// The identity of the peer, as the kernel recorded it when the connection was made (for a client: when the server
/// began to listen).
public struct PeerCredentials: Sendable, Hashable {
    /// The effective user id.
    public let uid: uid_t
    /// The effective group id.
    public let gid: gid_t
    /// The process id. The process may have ended since.
    public let pid: pid_t
    /// The supplementary groups, which may include `gid`.
    public let groups: [gid_t]

    /// Creates credentials, for tests and for transports other than sockets.
    public init(uid: uid_t, gid: gid_t, pid: pid_t, groups: [gid_t] = []) {
        self.uid = uid
        self.gid = gid
        self.pid = pid
        self.groups = groups
    }

    /// Whether `group` is the effective group or a supplementary one.
    public func isMember(of group: gid_t) -> Bool { gid == group || groups.contains(group) }

    init(fd: Int32) throws(SocketError) {
        var (pid, uid, gid) = (pid_t(), uid_t(), gid_t())
        _ = try check("getsockopt(SO_PEERCRED)", cepoll_peer(fd, &pid, &uid, &gid))
        self.init(uid: uid, gid: gid, pid: pid, groups: try Self.groups(fd: fd))
    }

    /// Usually enough for one call; otherwise the kernel returns the required number.
    private static let likelyGroups: Int32 = 32

    private static func groups(fd: Int32) throws(SocketError) -> [gid_t] {
        var room = likelyGroups
        while true {
            var (count, answer) = (room, Int32())
            let groups = [gid_t](unsafeUninitializedCapacity: Int(room)) { buffer, used in
                answer = cepoll_peer_groups(fd, buffer.baseAddress, &count)
                used = answer < 0 ? 0 : Int(count)
            }
            switch answer {
            case -ERANGE where count > room: room = count
            case -ENOPROTOOPT: return []  // Linux before 4.13
            default:
                _ = try check("getsockopt(SO_PEERGROUPS)", answer)
                return groups
            }
        }
    }
}
