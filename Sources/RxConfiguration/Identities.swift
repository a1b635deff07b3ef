internal import Glibc

/// Turns the names of users and groups into the ids that the kernel reports for a peer.
package struct Identities: Sendable {
    package enum Kind: Sendable {
        case user, group

        /// What people call it, and its ids.
        var word: String { self == .user ? "user" : "group" }
        var idWord: String { self == .user ? "uid" : "gid" }
    }

    package enum Lookup: Sendable, Equatable {
        case id(UInt32)
        case unknown
        case failed(errno: Int32)
    }

    package var find: @Sendable (Kind, String) -> Lookup
    /// Which ids can be distinguished where the daemon runs.
    package var users = NamespaceMap.whole
    package var groups = NamespaceMap.whole
    /// The daemon's own user.
    var own: UInt32 = getuid()

    package static var system: Identities {
        Identities(find: lookUp, users: .ofThisProcess("uid_map"), groups: .ofThisProcess("gid_map"))
    }

    package func map(of kind: Kind) -> NamespaceMap { kind == .user ? users : groups }

    /// Most bytes of an entry of the user database: a group with a hundred thousand members takes one or two megabytes.
    private static let largestEntry = 16 << 20

    private static func lookUp(_ kind: Kind, _ name: String) -> Lookup {
        var room = 4096
        while true {
            var id: UInt32?
            let error = withUnsafeTemporaryAllocation(of: CChar.self, capacity: room) { buffer -> Int32 in
                switch kind {
                case .user:
                    var (entry, found) = (passwd(), UnsafeMutablePointer<passwd>?.none)
                    let error = getpwnam_r(name, &entry, buffer.baseAddress!, room, &found)
                    id = found?.pointee.pw_uid
                    return error
                case .group:
                    var (entry, found) = (group(), UnsafeMutablePointer<group>?.none)
                    let error = getgrnam_r(name, &entry, buffer.baseAddress!, room, &found)
                    id = found?.pointee.gr_gid
                    return error
                }
            }
            switch error {
            case 0: return id.map { .id($0) } ?? .unknown
            case EINTR: continue
            case ERANGE where room < largestEntry: room *= 4
            // What some sources of names answer for one they do not have.
            case ENOENT, ESRCH: return .unknown
            default: return .failed(errno: error)
            }
        }
    }
}
