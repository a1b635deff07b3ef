internal import Rx
internal import RxPlatform

/// Threads for work that may block for long, such as a look at a file of a server that does not answer.
///
/// They are not those of Swift's concurrency or of Dispatch, which all of the process shares and which such work would
/// occupy. A thread exists only while there is work for it.
final class BlockingThreads: BackgroundWork {
    /// The most threads, unless given.
    static let most = 16

    private struct State {
        var idle: [WorkQueue] = []
        var made = 0
        var waiting = Queue<@Sendable () -> Void>()
    }

    private let queues: Queues
    private let most: Int
    private let state = Locked(State())

    /// - Parameters:
    ///   - queues: makes the threads.
    ///   - most: the most pieces of work at the same time; further ones wait for their turn.
    init(_ queues: Queues, most: Int = BlockingThreads.most) {
        self.queues = queues
        self.most = most
    }

    func run(_ body: @escaping @Sendable () -> Void) {
        let thread = state.withLock { state -> WorkQueue? in
            if let thread = state.idle.popLast() { return thread }
            guard state.made < most else {
                state.waiting.append(body)
                return nil
            }
            state.made += 1
            return queues.serial("rxd.blocking.\(state.made)")
        }
        if let thread { run(body, on: thread) }
    }

    private func run(_ body: @escaping @Sendable () -> Void, on thread: WorkQueue) {
        thread.async { [self] in
            body()
            let next = state.withLock { state -> (@Sendable () -> Void)? in
                let next = state.waiting.removeFirst()
                if next == nil { state.idle.append(thread) }
                return next
            }
            if let next { run(next, on: thread) }
        }
    }
}
