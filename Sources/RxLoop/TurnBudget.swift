/// The time that a turn may take, so that timers and the ends of turns come soon, however much is ready.
///
/// Work reports its cost in units, a few of which are a small request. The clock is read at the beginning of a turn,
/// after `unitsPerReading` units, and after work that may take any time, so a turn with a few small requests reads it
/// once.
struct TurnBudget {
    /// Nanoseconds of a turn: two milliseconds.
    static let nanoseconds: UInt64 = 2_000_000
    /// Units after which the clock is read. Work that may take longer than a small request reports as many.
    static let unitsPerReading = 64

    private var units = 0
    /// When the clock was read last.
    private(set) var now: UInt64
    /// When the turn has to end.
    private let deadline: UInt64
    /// Whether the clock was past the deadline when it was read last.
    private var isOver = false

    /// Begins a turn.
    init(from now: UInt64) {
        self.now = now
        deadline = now + Self.nanoseconds
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
        now = clock.now
        isOver = now >= deadline
        return isOver
    }
}
