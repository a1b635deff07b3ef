internal import CEpoll
internal import Glibc

/// A path that fits into a socket address.
struct SocketPath {
    let text: String

    init(_ text: String) throws(SocketError) {
        let limit = Int(cepoll_path_limit())
        guard text.utf8.count <= limit else { throw .pathTooLong(path: text, limit: limit) }
        guard !text.isEmpty, !text.utf8.contains(0) else {
            throw .file(call: "socket path", path: text, errno: EINVAL)
        }
        self.text = text
    }

    func connect(_ fd: Int32) -> Int32 { cepoll_connect(fd, text, text.utf8.count) }
    func bind(_ fd: Int32) -> Int32 { cepoll_bind(fd, text, text.utf8.count) }

    /// Creates an unconnected socket, which the caller must close.
    static func makeSocket() throws(SocketError) -> Int32 {
        try check("socket", cepoll_socket())
    }
}

/// A file at the path of a socket: which one it is, for a check before replacing it.
struct SocketFile: Equatable {
    let device: dev_t
    let inode: ino_t
    let isSocket: Bool

    /// Returns nil if nothing exists at `path`. Does not follow symbolic links.
    init?(at path: String) throws(SocketError) {
        var facts = stat()
        guard lstat(path, &facts) == 0 else {
            if errno == ENOENT { return nil }
            throw .file(call: "lstat", path: path, errno: errno)
        }
        self.init(facts)
    }

    init(_ facts: stat) {
        device = facts.st_dev
        inode = facts.st_ino
        isSocket = facts.st_mode & S_IFMT == S_IFSOCK
    }
}
