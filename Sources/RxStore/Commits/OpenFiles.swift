internal import RxPlatform

/// The files of an open database that the next daemon needs: without its log, it lacks what is committed, and without
/// its mark, nobody notices.
struct OpenFiles {
    private static let suffixes = ["", "-wal", "-lock"]

    private let disk: Disk
    private let files: [(path: String, identity: FileIdentity?)]

    /// The files as they are now; SQLite must have opened its log, which it then keeps until it closes the database.
    init(of path: String, _ disk: Disk) {
        self.disk = disk
        files = Self.suffixes.map { (path + $0, disk.identity(path + $0)) }
    }

    /// The path of the first file that was moved or removed since; nil if none was. What is written to such a file is
    /// not there for the next daemon.
    var moved: String? { files.first { disk.identity($0.path) != $0.identity }?.path }
}
