/// Makes the new order from what is left of the old one, from the front, and knows where everything is meanwhile.
///
/// The list then consists of what is placed, and of what is not: that keeps its old order. What stays is placed when the
/// walk reaches it; what moves and has not yet been placed lies in between.
@usableFromInline
struct KeyedWalk {
    @usableFromInline
    enum Placement {
        case stays
        case comes(Int)
        case moves(from: Int, to: Int)
    }

    private let stays: [Bool]
    /// How many are placed when the walk reaches the next one that stays, after the one with this number.
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

    /// To be called for each position of the new list in order, with the old number of what comes there.
    @usableFromInline mutating func place(_ number: Int?, at index: Int) -> Placement {
        // After all that is placed, and after what lies in between.
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

/// A set of the numbers below a limit, all at first, that knows how many there are below another.
private struct CountTree {
    private var sums: [Int]

    init(_ count: Int) {
        // As if each had been added by itself.
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
