/// Work on the loop that nobody else should wait for, done in small parts: a reader that catches up.
public protocol IdleWork: AnyObject {
    /// Does one part of the work, on the loop's thread. Asks for the next one itself.
    func workWhenIdle()
}

/// The objects that wait for their next part, in the order in which they asked.
struct IdleWorkList {
    private var waiting: [any IdleWork] = []
    /// Whether the work waits for the end of the next turn.
    private(set) var isPostponed = false

    var isEmpty: Bool { waiting.isEmpty }

    mutating func append(_ object: any IdleWork) { waiting.append(object) }

    /// Leaves the work to the next turn, which is not allowed to do so again.
    ///
    /// - Returns: whether it is left.
    mutating func postpone() -> Bool {
        isPostponed.toggle()
        return isPostponed
    }

    /// Exchanges the objects for an empty array, whose capacity is reused. What they ask for belongs to the next turn.
    mutating func take(into array: inout [any IdleWork]) {
        isPostponed = false
        swap(&waiting, &array)
    }

    /// Puts objects back that had no time.
    mutating func putBack(_ objects: ArraySlice<any IdleWork>) {
        waiting.insert(contentsOf: objects, at: 0)
    }
}
