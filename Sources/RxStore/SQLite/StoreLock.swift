internal import RxPlatform

/// Reserves a state directory for one daemon.
///
/// It locks a file of its own, since SQLite's locks last for a transaction and would let two daemons take turns. The
/// file stays when the daemon ends: after a deletion, two daemons could hold locks on two files.
struct StoreLock {
    /// The time to wait for a child of a daemon that was killed: until it runs its program, it has the lock too.
    private static let patience = Duration.milliseconds(250)

    private let lock: FileLock

    init(path: String, on disk: Disk) throws(StoreError) {
        let file = path + "-lock"
        do throws(FileLock.Failure) {
            lock = try disk.lock(file, Self.patience)
        } catch {
            switch error {
            case .taken: throw .inUse(path: path)
            case .system(let call, let errno): throw .file(call: call, path: file, errno: errno)
            }
        }
    }
}
