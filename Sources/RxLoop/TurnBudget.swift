/// The time that a turn may take, so that timers and the ends of turns come soon, however much is ready.
///
/// Work reports its cost in units, each about as long as a small request. The clock is read once in `unitsPerReading`
/// units, so a turn with little to do reads it not at all.
struct TurnBudget {
    /// Nanoseconds of a turn: two milliseconds.
    static let nanoseconds: UInt64 = 2_000_000
    /// Work of this cost is long enough for a reading of its own.
    static let unitsPerReading = 16

    private var units = 0
    /// When the turn has to end; nil before the first reading of the clock.
    private var deadline: UInt64?
    /// Whether the clock was past the deadline when it was read last.
    private var isOver = false

    /// Begins a new turn.
    mutating func reset() {
        units = 0
        deadline = nil
        isOver = false
    }

    /// Adds the cost of finished work to the next `spend`.
    mutating func add(_ cost: Int) { units += cost }

    /// Adds the cost of finished work.
    ///
    /// - Returns: whether the turn has to end.
    mutating func spend(_ cost: Int, _ clock: LoopKernel) -> Bool {
        units += cost
        guard units >= Self.unitsPerReading, !isOver else { return isOver }
        units = 0
        let now = clock.now
        if let deadline { isOver = now >= deadline } else { deadline = now + Self.nanoseconds }
        return isOver
    }
}
