/// How many deliveries, of one event to one subscription, a turn may have: as many as take a few milliseconds.
///
/// What one takes depends on its reader: one that waits as an entry takes several times as long as one that is written.
/// So the number follows what the portions before took. An event that is dropped to make room counts as well.
struct DeliveryPortion {
    /// More would not make fewer writes.
    static let most = 16_384
    /// Enough that what a turn costs by itself does not count.
    static let least = 512
    /// Nanoseconds that a portion should take at most.
    static let time: UInt64 = 4_000_000

    /// Deliveries of the next turn.
    private(set) var count = 4096

    /// Adapts the next portion to one that is over.
    ///
    /// - Parameters:
    ///   - done: how many deliveries and dropped events it had.
    ///   - nanoseconds: how long it took.
    mutating func adapt(to done: Int, in nanoseconds: UInt64) {
        // What fewer took shows what a turn costs, not what a delivery does.
        guard done >= Self.least else { return }
        let affordable = UInt64(done) * Self.time / max(nanoseconds, 1)
        // One that was interrupted by other threads should not count for much.
        let next = min(max(Int(clamping: affordable), count / 4), count * 2)
        count = min(max(next, Self.least), Self.most)
    }
}
