/// The most that can stay where they are when others move.
@usableFromInline
enum LongestIncrease {
    /// Which of the numbers below `count`, each of which comes once in `order`, belong to a longest increasing part of it.
    @usableFromInline static func members(of order: [Int?], below count: Int) -> [Bool] {
        var members = [Bool](repeating: false, count: count)
        // The last number of the best increase of each length, and what comes before each number in its best one.
        var ends: [Int] = []
        var previous = [Int](repeating: -1, count: count)
        for case let number? in order {
            var low = 0
            var high = ends.count
            while low < high {
                let middle = (low + high) / 2
                if ends[middle] < number { low = middle + 1 } else { high = middle }
            }
            if low > 0 { previous[number] = ends[low - 1] }
            if low == ends.count { ends.append(number) } else { ends[low] = number }
        }
        var next = ends.last ?? -1
        while next >= 0 {
            members[next] = true
            next = previous[next]
        }
        return members
    }
}
