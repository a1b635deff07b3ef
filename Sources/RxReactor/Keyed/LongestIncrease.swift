/// Finds the largest set of elements that can stay in place while others move.
@usableFromInline
enum LongestIncrease {
    /// Marks the numbers below `count` that belong to a longest increasing subsequence of `order`, which contains each
    /// number once.
    @usableFromInline static func members(of order: [Int?], below count: Int) -> [Bool] {
        var members = [Bool](repeating: false, count: count)
        // For each length, the last number of the best subsequence; and for each number, its predecessor in its best
        // one.
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
