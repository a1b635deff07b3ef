internal import CEpoll
internal import Glibc

/// Who will read the files of sources.
public enum FileReader: Sendable, Hashable {
    /// The user of this process.
    case process
    /// Another user, with these groups. Only root may find out what that user can read.
    case user(name: String, uid: UInt32, gid: UInt32, groups: [UInt32])

    /// Most groups of a user that count: NGROUPS_MAX of Linux.
    private static let mostGroups: Int32 = 65_536

    /// The user of that name; nil if there is none.
    public static func named(_ name: String) -> FileReader? {
        guard let entry = getpwnam(name) else { return nil }
        let (uid, gid) = (entry.pointee.pw_uid, entry.pointee.pw_gid)
        var count: Int32 = 64
        var groups = [gid_t](repeating: 0, count: Int(count))
        while getgrouplist(name, gid, &groups, &count) < 0, count <= mostGroups, Int(count) > groups.count {
            groups = [gid_t](repeating: 0, count: Int(count))
        }
        return .user(name: name, uid: uid, gid: gid, groups: Array(groups.prefix(Int(count))))
    }

    /// Whether the permissions forbid to read a file, or to read and enter a directory. A file that does not exist is
    /// not forbidden.
    func isForbidden(_ path: RawPath, isDirectory: Bool) -> Bool {
        refusal(of: path, isDirectory ? R_OK | X_OK : R_OK) == EACCES
    }

    /// Whether there is no such file or directory, as far as this user can see.
    func isMissing(_ path: RawPath) -> Bool { refusal(of: path, F_OK) == ENOENT }

    /// Whether there is something else than a directory, as far as this user can see.
    func isOtherThanDirectory(_ path: RawPath) -> Bool {
        refusal(of: path, F_OK) == 0 && refusal(of: path.appending(component: ".".utf8), F_OK) == ENOTDIR
    }

    /// The errno of `access`; 0 if it is granted.
    private func refusal(of path: RawPath, _ mode: Int32) -> Int32 {
        path.withPointer { pointer in
            switch self {
            case .process: access(pointer, mode) == 0 ? 0 : errno
            case .user(_, let uid, let gid, let groups):
                groups.withUnsafeBufferPointer {
                    -cepoll_access(pointer, mode, uid, gid, $0.baseAddress, $0.count)
                }
            }
        }
    }

    /// The user in a message.
    var text: String {
        switch self {
        case .process: "the user of the daemon"
        case .user(let name, _, _, _): "the user \(name)"
        }
    }
}
