/// The limits of a stream.
public enum StreamLimits {
    /// The most elements that wait: before a stream whose source cannot wait, in `delay`, in a batch, or before an
    /// executing step. Beyond it, the oldest are dropped and reported.
    public static let pendingElements = 10_000
    /// The most bytes of elements that wait, likewise.
    public static let pendingBytes = 16 << 20
    /// The most groups of a `groupBy`; beyond it, the one that has been idle longest ends.
    public static let groups = 10_000
    /// The most elements that a stream processes in one turn, so that others get theirs. A daemon ends it by time, too.
    public static let elementsPerTurn = 256
}
