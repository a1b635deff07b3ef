/// Executions in order of arrival. Guarded by the gate's lock.
///
/// An execution is in one list at a time and stores its neighbors. Removal from the middle needs no traversal and
/// leaves nothing to release later under the lock.
struct ExecutionList: Sequence {
    private(set) var first: AnyExecution?
    // Unsafe: the list retains every member.
    private unowned(unsafe) var last: AnyExecution?
    private(set) var count = 0

    var isEmpty: Bool { count == 0 }

    mutating func append(_ execution: AnyExecution) {
        if let last {
            execution.previous = last
            last.next = execution
        } else {
            first = execution
        }
        last = execution
        count += 1
    }

    /// Removes an execution that is in this list.
    mutating func remove(_ execution: AnyExecution) {
        let (previous, next) = (execution.previous, execution.next)
        if let next { next.previous = previous } else { last = previous }
        if let previous { previous.next = next } else { first = next }
        execution.previous = nil
        execution.next = nil
        count -= 1
    }

    mutating func popFirst() -> AnyExecution? {
        guard let execution = first else { return nil }
        remove(execution)
        return execution
    }

    mutating func removeAll() -> [AnyExecution] {
        var all: [AnyExecution] = []
        all.reserveCapacity(count)
        while let execution = popFirst() { all.append(execution) }
        return all
    }

    struct Iterator: IteratorProtocol {
        fileprivate var upcoming: AnyExecution?

        mutating func next() -> AnyExecution? {
            defer { upcoming = upcoming?.next }
            return upcoming
        }
    }

    func makeIterator() -> Iterator { Iterator(upcoming: first) }
}
