/// The known name that is closest to `written`, if at most a third of its letters differ, or two in a short name. The
/// plural of a name ("retries") is close to it.
package func nearest(to written: String, among known: [String]) -> String? {
    let allowed = max(2, written.count / 3)
    let candidates = known.map {
        (name: $0, distance: editDistance(Array(singular(written.lowercased())), Array($0.lowercased())))
    }
    // A suggestion that shares no letter does not help.
    let close = candidates.filter { $0.distance <= allowed && $0.distance < min(written.count, $0.name.count) }
    return close.min { ($0.distance, $0.name) < ($1.distance, $1.name) }?.name
}

/// A word in "-ies" with the "-y" of its singular, which three letters differ from.
private func singular(_ word: String) -> String {
    word.hasSuffix("ies") ? word.dropLast(3) + "y" : word
}

/// Insertions, removals, replacements, and swaps of neighbors that turn one word into the other.
func editDistance(_ from: [Character], _ to: [Character]) -> Int {
    guard !from.isEmpty, !to.isEmpty else { return max(from.count, to.count) }
    var beforeLast = [Int](repeating: 0, count: to.count + 1)
    var last = Array(0...to.count)
    for row in 1...from.count {
        var next = [row] + [Int](repeating: 0, count: to.count)
        for column in 1...to.count {
            let cost = from[row - 1] == to[column - 1] ? 0 : 1
            next[column] = min(last[column] + 1, next[column - 1] + 1, last[column - 1] + cost)
            let isSwap = row > 1 && column > 1 && from[row - 1] == to[column - 2] && from[row - 2] == to[column - 1]
            if isSwap { next[column] = min(next[column], beforeLast[column - 2] + 1) }
        }
        (beforeLast, last) = (last, next)
    }
    return last[to.count]
}
