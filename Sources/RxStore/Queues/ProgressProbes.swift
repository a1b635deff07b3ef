internal import Rx

/// Calls that a queue makes with its next progress: work that came before need not be done.
final class ProgressProbes: Sendable {
    private let waiting = Locked<[@Sendable () -> Void]>([])

    /// Adds a call.
    func add(_ answer: @escaping @Sendable () -> Void) {
        waiting.withLock { $0.append(answer) }
    }

    /// Makes the calls. For the queue.
    func answer() {
        let answers = waiting.withLock { waiting in
            defer { waiting = [] }
            return waiting
        }
        for answer in answers { answer() }
    }
}
