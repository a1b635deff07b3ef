internal import CEpoll
public import Glibc

/// Who is at the other end, as the kernel noted it when the connection was made (for a client: when the server listened).
public struct PeerCredentials: Sendable, Hashable {
    public let uid: uid_t
    public let gid: gid_t
    public let pid: pid_t
    /// Supplementary groups; `gid` may or may not be repeated among them.
    public let groups: [gid_t]

    public init(uid: uid_t, gid: gid_t, pid: pid_t, groups: [gid_t] = []) {
        self.uid = uid
        self.gid = gid
        self.pid = pid
        self.groups = groups
    }

    public func isMember(of group: gid_t) -> Bool { gid == group || groups.contains(group) }

    init(fd: Int32) throws(SocketError) {
        var (pid, uid, gid) = (pid_t(), uid_t(), gid_t())
        _ = try check("getsockopt(SO_PEERCRED)", cepoll_peer(fd, &pid, &uid, &gid))
        self.init(uid: uid, gid: gid, pid: pid, groups: try Self.groups(fd: fd))
    }

    /// Enough for nearly everyone in one call; the kernel says how many more are needed.
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
