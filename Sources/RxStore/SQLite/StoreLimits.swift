/// How much waits for a store, and for how long.
enum StoreLimits {
    /// A disk that hangs, or is slower than what is executed, costs this much memory and no more: about 100,000
    /// ordinary writes, half a second of work for a disk that does not hang.
    static let waitingBytes = 64 << 20
    /// This part of it is a crowd: about 50 ms of work, so that who waits for a crowd does not wait for long.
    static let crowd = 16
    /// Reads that may wait; a disk that hangs must not collect more.
    static let waitingReads = 1024
    /// Writes of one transaction: about 10 ms, so that who waits for the first does not wait for many more.
    static let writesPerCommit = 1024
    /// Milliseconds that a write waits for more, if nobody waits for it.
    static let moment = 1000
}
