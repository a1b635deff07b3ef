/// First halves of moves, which wait for the second one.
struct HeldMoves {
    /// The kernel queues both halves together; this long covers a reader that is interrupted in between.
    private static let patience = Duration.milliseconds(50)

    /// A name that an event has reported to be moved away.
    struct Move {
        var cookie: UInt32
        /// Its entry, if it has one, and the file that the entry was for.
        var entry: PathEntry.ID?
        var stamp: PathEntry.Stamp
        /// Relative to the root.
        var path: [UInt8]
        var deadline: Duration
    }

    private var moves: [UInt32: Move] = [:]
    private var order: [UInt32] = []

    /// When the next one expires.
    var deadline: Duration? { order.first.flatMap { moves[$0]?.deadline } }

    mutating func hold(
        _ cookie: UInt32, _ entry: PathEntry.ID?, _ stamp: PathEntry.Stamp, _ path: [UInt8], now: Duration
    ) {
        moves[cookie] = Move(cookie: cookie, entry: entry, stamp: stamp, path: path, deadline: now + Self.patience)
        order.append(cookie)
    }

    /// Ends the wait for the second half.
    mutating func take(_ cookie: UInt32) -> Move? {
        guard let move = moves.removeValue(forKey: cookie) else { return nil }
        // The last one, as a rule.
        if let index = order.lastIndex(of: cookie) { order.remove(at: index) }
        return move
    }

    /// Ends the wait for those that are due.
    mutating func expired(at now: Duration) -> [Move] {
        let count = order.prefix { moves[$0].map { $0.deadline <= now } ?? true }.count
        defer { order.removeFirst(count) }
        return order.prefix(count).compactMap { moves.removeValue(forKey: $0) }
    }

    /// Ends the wait for all.
    mutating func takeAll() -> [Move] {
        defer { (moves, order) = ([:], []) }
        return order.compactMap { moves[$0] }
    }
}
