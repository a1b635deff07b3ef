/// The events that one subscription has lost and its client does not know of yet.
///
/// They are runs of losses in order: events that still wait may stand between two runs.
struct Losses {
    /// Events that were lost one after another.
    struct Run {
        private(set) var count = 1
        let first: UInt64
        private(set) var last: UInt64

        fileprivate init(_ cursor: UInt64) {
            first = cursor
            last = cursor
        }

        fileprivate mutating func append(_ later: Run) {
            count += later.count
            last = later.last
        }
    }

    private var runs: [Run] = []

    var isEmpty: Bool { runs.isEmpty }

    /// Counts a lost event.
    ///
    /// - Parameter isAnyWaiting: whether an event with a cursor between the two waits.
    /// - Returns: whether it is the first since the last `lag`.
    mutating func add(_ cursor: UInt64, isAnyWaiting: (_ after: UInt64, _ before: UInt64) -> Bool) -> Bool {
        guard let last = runs.last else {
            runs.append(Run(cursor))
            return true
        }
        if isAnyWaiting(last.last, cursor) {
            // Earlier runs may no longer be apart: a level that stood between them was replaced.
            if runs.count > 1, !isAnyWaiting(runs[runs.count - 2].last, last.first) {
                runs[runs.count - 2].append(last)
                runs.removeLast()
            }
            runs.append(Run(cursor))
        } else {
            runs[runs.count - 1].append(Run(cursor))
        }
        return false
    }

    /// Takes what was lost before `cursor` out, as one run; nil if nothing was.
    mutating func take(before cursor: UInt64) -> Run? {
        guard var taken = runs.first, taken.last < cursor else { return nil }
        var count = 1
        while count < runs.count, runs[count].last < cursor {
            taken.append(runs[count])
            count += 1
        }
        runs.removeFirst(count)
        return taken
    }
}
