/// Builds the new order from the remaining old elements, from front to back, and tracks all positions meanwhile.
///
/// At each point the list consists of the placed elements and the unplaced ones, which keep their old order. An element
/// that stays is placed when the walk reaches it. Unplaced elements that move lie in between.
@usableFromInline
struct KeyedWalk {
    @usableFromInline
    enum Placement {
        case stays
        case comes(Int)
        case moves(from: Int, to: Int)
    }

    private let stays: [Bool]
    /// For each staying element, by its number: how many elements are placed when the walk reaches the next staying
    /// one.
    private let placedBefore: [Int]
    private var unplaced: CountTree
    private var lastStay = 0

    @usableFromInline init(order: [Int?], stays: [Bool]) {
        self.stays = stays
        unplaced = CountTree(stays.count)
        var places = [Int](repeating: 0, count: stays.count)
        for (index, number) in order.enumerated() { if let number { places[number] = index } }
        var placedBefore = [Int](repeating: 0, count: stays.count)
        var next = 0
        for number in stays.indices.reversed() {
            placedBefore[number] = next
            if stays[number] { next = places[number] }
        }
        self.placedBefore = placedBefore
    }

    /// Places the element with the old number `number` at `index`. Call it for each position of the new list in order.
    @usableFromInline mutating func place(_ number: Int?, at index: Int) -> Placement {
        // Behind everything placed and the unplaced elements in between.
        let end = index + unplaced.count(below: lastStay)
        guard let number else { return .comes(end) }
        defer { unplaced.remove(number) }
        if stays[number] {
            lastStay = number
            return .stays
        }
        let from = (number < lastStay ? placedBefore[number] : index) + unplaced.count(below: number)
        return .moves(from: from, to: from < end ? end - 1 : end)
    }
}

/// A set of the numbers below a limit, initially full, that counts its members below a given number.
private struct CountTree {
    private var sums: [Int]

    init(_ count: Int) {
        // Equivalent to adding each number individually.
        sums = (0..<count).map { ($0 + 1) & -($0 + 1) }
    }

    func count(below limit: Int) -> Int {
        var sum = 0
        var index = limit
        while index > 0 {
            sum += sums[index - 1]
            index &= index - 1
        }
        return sum
    }

    mutating func remove(_ number: Int) {
        var index = number + 1
        while index <= sums.count {
            sums[index - 1] -= 1
            index += index & -index
        }
    }
}
