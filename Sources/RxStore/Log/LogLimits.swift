/// How much of the log is kept, and read at the start.
public enum LogLimits {
    /// Numbers that are reserved together: more than a host can use in minutes, so that it rarely waits for the disk.
    public static let numbersReserved: UInt64 = 1 << 28
    /// Earlier epochs whose cursors are understood: a power cut or a recovery makes one.
    static let epochsKept = 64
    /// The most events that a host finds when it starts.
    static let eventsRead = 20_000
    /// The bytes of text after which it finds no more.
    static let bytesRead = 16 << 20
    /// The most manual switches of an action that a host has, those of earlier hosts as well.
    public static let switchesKept = 64
}
