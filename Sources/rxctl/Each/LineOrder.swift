/// Releases the results of lines at once, or with `--keep-order` in the order of the lines.
///
/// The results of the first line that has not ended are released as they come; those of later lines are held. While
/// more than `mostHeld` is held, no more lines are to be started. What is in flight then goes on, so that the memory is
/// bounded by `mostHeld` and the output of the lines in flight, and no result is lost.
struct LineOrder {
    /// Bytes of results that are held before no more lines are started: far more than the lines in flight usually
    /// yield, and little for a machine that runs several programs at a time.
    static let mostHeld = 16 << 20
    /// Approximate memory of a line that is held, whatever it yields.
    private static let costPerLine = 256

    private struct Held {
        var results: [LineResult] = []
        var resultsCost = 0
        /// The memory of the line itself; it counts once the line is no longer in flight.
        let ownCost: Int
        var hasEnded = false

        var cost: Int { resultsCost + (hasEnded ? ownCost : 0) }
    }

    private let isKept: Bool
    /// The lines whose results are not all released, in their order, from `first` on.
    private var numbers: [Int] = []
    private var first = 0
    private var held: [Int: Held] = [:]
    private var heldCost = 0

    init(isKept: Bool) { self.isKept = isKept }

    /// Whether another line may be started.
    var hasRoom: Bool { heldCost <= LineOrder.mostHeld }

    /// A line is started. Lines are started in their order.
    ///
    /// - Parameter cost: the bytes of memory that it uses until its end is released.
    mutating func begin(_ number: Int, cost: Int = 0) {
        guard isKept else { return }
        numbers.append(number)
        held[number] = Held(ownCost: cost + LineOrder.costPerLine)
    }

    /// Adds a result, and returns those that are released by it, each with its line.
    mutating func add(_ result: LineResult, of number: Int) -> [(number: Int, result: LineResult)] {
        guard isKept, first < numbers.count else { return [(number, result)] }
        if number == numbers[first] {
            guard case .end = result else { return [(number, result)] }
            return [(number, result)] + releaseNext()
        }
        guard var line = held[number] else { return [] }
        heldCost -= line.cost
        line.results.append(result)
        line.resultsCost += result.cost
        if case .end = result { line.hasEnded = true }
        heldCost += line.cost
        held[number] = line
        return []
    }

    /// The first line has ended: releases what is held of the next one, and of those after it if that has ended, too.
    private mutating func releaseNext() -> [(number: Int, result: LineResult)] {
        var released: [(number: Int, result: LineResult)] = []
        held[numbers[first]] = nil
        first += 1
        while first < numbers.count {
            let number = numbers[first]
            guard var line = held.removeValue(forKey: number) else { break }
            heldCost -= line.cost
            for result in line.results { released.append((number, result)) }
            if !line.hasEnded {
                (line.results, line.resultsCost) = ([], 0)
                held[number] = line
                break
            }
            first += 1
        }
        // At most half of the array is behind `first`, so that nothing is moved more than once on average.
        if first * 2 >= numbers.count {
            numbers.removeSubrange(..<first)
            first = 0
        }
        return released
    }
}
