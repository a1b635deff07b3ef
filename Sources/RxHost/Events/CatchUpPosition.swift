/// How far a reader has caught up with the events that are kept.
public struct CatchUpPosition: Sendable {
    /// The reader has everything up to here.
    public internal(set) var cursor: UInt64
    /// Events to be read before anything that follows `cursor`.
    var first: [HostEvent] = []
    /// How many events of each kind came up to `cursor`, for each action or execution of the source.
    var seen: [KindCounts]
    /// Where a loss begins that was found but not reported yet, by the place in the source: the others are further on.
    var unreported: [Int: UInt64] = [:]

    /// Where a loss begins in the log of an earlier host, by the place in the source, until it is reported.
    var unkept: [Int: UInt64] = [:]

    /// Forgets the name at this place of the source, which leaves the source.
    public mutating func forget(_ place: Int) {
        if place < seen.count { seen.remove(at: place) }
        unreported = [:]
        unkept = [:]
        first = []
    }
}
