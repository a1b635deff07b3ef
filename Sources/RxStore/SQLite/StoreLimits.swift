/// How much may be pending for a store, and for how long.
enum StoreLimits {
    /// The most bytes of pending writes, so that a slow disk costs no more memory: about 100,000 ordinary writes, half
    /// a second of work for a disk that does not hang.
    static let waitingBytes = 64 << 20
    /// The part of it from which on callers slow down: about 50 ms of work, so that they do not wait for long.
    static let crowd = 16
    /// The most pending reads of users; a disk that hangs must not collect more.
    static let waitingReads = 4096
    /// The most of one user: two for each connection.
    static let waitingReadsOfUser = 512
    /// The most writes of one transaction: about 10 ms, so that the first does not wait for many more.
    static let writesPerCommit = 1024
    /// The most executions whose ends could not be written and that are remembered.
    static let lostEnds = 10_000
    /// The most bytes of their records, which go into the history later; of the others, only the ids are remembered.
    static let lostEndBytes = 8 << 20
    /// Milliseconds after which writes that must not be lost are tried again, unless another write succeeds before.
    static let retry = 1000
    /// Milliseconds that a write waits for more of its kind, if no caller waits for it.
    static let moment = 1000
}
