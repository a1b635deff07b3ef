/// Marks the members of `numbers`, all distinct, that form a longest increasing subsequence.
func longestIncreasingRun(of numbers: [Int]) -> [Bool] {
    // For each length, the index at which a run ends with the smallest number; and the predecessor of each index.
    var ends: [Int] = []
    var before = [Int](repeating: -1, count: numbers.count)
    for (place, number) in numbers.enumerated() {
        var (low, high) = (0, ends.count)
        while low < high {
            let middle = (low + high) / 2
            if numbers[ends[middle]] < number { low = middle + 1 } else { high = middle }
        }
        if low > 0 { before[place] = ends[low - 1] }
        if low < ends.count { ends[low] = place } else { ends.append(place) }
    }
    var isIn = [Bool](repeating: false, count: numbers.count)
    var place = ends.last ?? -1
    while place >= 0 {
        isIn[place] = true
        place = before[place]
    }
    return isIn
}

/// Counts the items before a slot while items are added and removed (a Fenwick tree).
struct CountTree {
    private var sums: [Int]

    /// Puts one item into each of the first `ones` slots.
    init(ones: Int, slots: Int) {
        sums = [Int](repeating: 0, count: slots + 1)
        for slot in 0..<ones { add(1, at: slot) }
    }

    mutating func add(_ change: Int, at slot: Int) {
        var index = slot + 1
        while index < sums.count {
            sums[index] += change
            index += index & -index
        }
    }

    func count(before slot: Int) -> Int {
        var (index, count) = (slot, 0)
        while index > 0 {
            count += sums[index]
            index -= index & -index
        }
        return count
    }
}
