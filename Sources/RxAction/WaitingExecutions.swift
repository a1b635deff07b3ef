internal import Rx

/// Executions that wait their turn, in the order of their inputs.
///
/// One that is cancelled stays in the line until its turn or until most of the line is such: taking it out of the middle
/// would cost each cancellation a walk.
struct WaitingExecutions {
    /// So many that have ended may stay whatever the length of the line.
    private static let fewEnded = 32

    private var line = Queue<AnyExecution>()
    /// How many of the line still wait.
    private(set) var count = 0

    var first: AnyExecution? {
        mutating get {
            while let execution = line.first {
                if execution.isQueued { return execution }
                line.removeFirst()
            }
            return nil
        }
    }

    mutating func append(_ execution: AnyExecution) {
        line.append(execution)
        count += 1
    }

    mutating func popFirst() -> AnyExecution? {
        guard let execution = first else { return nil }
        line.removeFirst()
        count -= 1
        return execution
    }

    /// One of the line has ended.
    mutating func leftOne() {
        count -= 1
        guard line.count - count > WaitingExecutions.fewEnded + count else { return }
        for execution in line.removeAll() where execution.isQueued { line.append(execution) }
    }

    mutating func removeAll() -> [AnyExecution] {
        count = 0
        return line.removeAll().filter(\.isQueued)
    }
}
