internal import CEpoll
internal import Glibc

/// A listening socket that owns its path.
///
/// The socket is created in a private directory beside the path (mode 0700), gets its group and its mode, and starts
/// listening there. Only then does `link` give it its name. It therefore has both from the first visible moment, no
/// client is refused, and a file that appears at the path meanwhile is not replaced. The alternative, `umask` around
/// `bind`, would affect files that other threads create at that moment, because a process has only one umask.
struct BoundSocket: ~Copyable {
    let fd: Int32
    let path: String
    private let identity: SocketFile
    private let claim: SocketClaim

    /// The most connections that the kernel queues until they are accepted; as many as a daemon serves by default.
    static let backlog: Int32 = 1024

    init(path: String, mode: mode_t, group: gid_t? = nil) throws(SocketError) {
        try self.init(SocketClaim(path), mode: mode, group: group)
    }

    init(_ claim: SocketClaim, mode: mode_t, group: gid_t? = nil) throws(SocketError) {
        let path = claim.address.text
        let stale = try claim.findStale()
        let directory = try PrivateDirectory(beside: path)
        let fd = try SocketPath.makeSocket()
        do throws(SocketError) {
            let name = try directory.bind(fd)
            if let group { try Self.give(name, to: group, path) }
            guard chmod(name, mode) == 0 else { throw .file(call: "chmod", path: name, errno: errno) }
            guard listen(fd, Self.backlog) == 0 else { throw .file(call: "listen", path: path, errno: errno) }
            guard let identity = try SocketFile(at: name) else {
                throw .file(call: "lstat", path: name, errno: ENOENT)
            }
            if let stale { try directory.takeAway(stale, from: path) }
            guard link(name, path) == 0 else {
                throw errno == EEXIST ? .inUse(path: path) : .file(call: "link", path: path, errno: errno)
            }
            self.identity = identity
        } catch {
            Glibc.close(fd)
            throw error
        }
        self.fd = fd
        self.path = path
        self.claim = claim
        claim.noteSocket()
    }

    /// Shuts down before closing, because a child between fork and exec shares the socket and would keep it alive.
    deinit {
        shutdown(fd, Int32(SHUT_RDWR))
        Glibc.close(fd)
    }

    /// Removes the path, if it still refers to this socket, and the lock file.
    func removeFiles() {
        if let found = try? SocketFile(at: path), found == identity { unlink(path) }
        claim.removeFile()
    }

    private static func give(_ name: String, to group: gid_t, _ path: String) throws(SocketError) {
        guard chown(name, uid_t.max, group) != 0 else { return }
        throw errno == EPERM || errno == EINVAL
            ? .cannotGive(path: path, gid: group, errno: errno) : .file(call: "chown", path: path, errno: errno)
    }
}

/// A private directory on the same file system as a path. Removed with its contents on deinitialization.
private struct PrivateDirectory: ~Copyable {
    private let path: String
    private let name: String

    init(beside target: String) throws(SocketError) {
        let parts = target.split(separator: "/", omittingEmptySubsequences: false)
        let parent = parts.count == 1 ? "." : parts.dropLast().joined(separator: "/")
        name = String(parts.last ?? "")
        var template = Array("\(parent)/.XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else {
            throw .file(call: "mkdtemp", path: parent, errno: errno)
        }
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    deinit {
        unlink(socket)
        unlink(dead)
        rmdir(path)
    }

    private var socket: String { "\(path)/\(name)" }
    private var dead: String { "\(path)/dead" }

    /// Binds inside the directory, under the final name of the socket, which tools display. Returns the path.
    func bind(_ fd: Int32) throws(SocketError) -> String {
        // The final path may fit the address while this longer one does not; then use the directory's descriptor.
        let directory = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard directory >= 0 else { throw .file(call: "open", path: path, errno: errno) }
        defer { Glibc.close(directory) }
        let fits = socket.utf8.count <= Int(cepoll_path_limit())
        // Bind under a short name first, because the final name alone may be too long for this path.
        let answer = try SocketPath(fits ? socket : "/proc/self/fd/\(directory)/s").bind(fd)
        guard answer >= 0 else { throw .file(call: "bind", path: socket, errno: -answer) }
        guard fits || rename("\(path)/s", socket) == 0 else {
            throw .file(call: "rename", path: socket, errno: errno)
        }
        return socket
    }

    /// Moves the dead socket into the directory and checks its identity again. Puts back a file that appeared
    /// meanwhile.
    func takeAway(_ stale: SocketFile, from target: String) throws(SocketError) {
        guard rename(target, dead) == 0 else {
            if errno == ENOENT { return }
            throw .file(call: "rename", path: target, errno: errno)
        }
        guard try SocketFile(at: dead) == stale else {
            link(dead, target)
            throw .inUse(path: target)
        }
    }
}
