internal import Rx
internal import RxHost
internal import RxPlatform

/// Threads for the work of requests that takes too long for the loop: validation of long inputs, lists, states.
///
/// Users are served in turn, and one piece of work of a user runs at a time: a user with a thousand pieces delays those
/// of another by one. A connection has one piece at a time, because it receives no request until that is done, and one
/// for a state that it is sent; so the number of waiting pieces is bounded by the number of connections.
final class RequestWorkers: Sendable {
    typealias Work = @Sendable () -> Void

    /// Threads: one user with much to do leaves one for the others.
    private static let threads = 2

    fileprivate struct State {
        var idle: [WorkQueue]
        /// Users with work that may start, in the order in which they are served.
        var ready: Queue<UInt32>
        /// Work that has not started; absent for a user without any.
        var waiting: [UInt32: Queue<Work>] = [:]
        /// Users with a piece of work in progress.
        var running: Set<UInt32> = []
        var isStopped = false

        init(_ idle: [WorkQueue]) {
            self.idle = idle
            ready = Queue()
        }
    }

    private let queues: [WorkQueue]
    private let state: Locked<State>

    init(_ queues: Queues) {
        let queues = (1...Self.threads).map { queues.serial("rxd.request.\($0)") }
        self.queues = queues
        state = Locked(State(queues))
    }

    /// Runs `work` on one of the threads, when it is the user's turn; never after `stop`. Any thread.
    func run(for uid: UInt32, _ work: @escaping Work) {
        let start = state.withLock { state -> (WorkQueue, UInt32, Work)? in
            guard !state.isStopped else { return nil }
            state.waiting[uid, default: Queue()].append(work)
            if state.waiting[uid]!.count == 1, !state.running.contains(uid) { state.ready.append(uid) }
            return state.next()
        }
        if let (thread, uid, work) = start { run(work, for: uid, on: thread) }
    }

    /// Calls `answer` once each of the threads has ended what it does now.
    func probe(_ answer: @escaping @Sendable () -> Void) {
        let left = Countdown(queues.count, answer)
        for queue in queues { queue.async { left.count() } }
    }

    /// Leaves out what has not begun, and returns when the rest has ended. A process must not end before: its libraries
    /// take down what the work still uses. Not to be called from work.
    func stop() {
        state.withLock { state in
            state.isStopped = true
            state.ready = Queue()
            state.waiting = [:]
        }
        for queue in queues { queue.run {} }
    }

    private func run(_ work: @escaping Work, for uid: UInt32, on thread: WorkQueue) {
        thread.async { [self] in
            work()
            let next = state.withLock { $0.finish(uid, on: thread) }
            if let (thread, uid, work) = next { run(work, for: uid, on: thread) }
        }
    }
}

extension RequestWorkers.State {
    /// Takes an idle thread and the next piece of work; nil if there is none of either.
    fileprivate mutating func next() -> (WorkQueue, UInt32, RequestWorkers.Work)? {
        guard !idle.isEmpty, let uid = ready.removeFirst(), let work = waiting[uid]?.removeFirst() else { return nil }
        if waiting[uid]?.isEmpty == true { waiting[uid] = nil }
        running.insert(uid)
        return (idle.removeLast(), uid, work)
    }

    /// A piece of work has ended: its thread is idle, and its user may start the next piece.
    fileprivate mutating func finish(
        _ uid: UInt32, on thread: WorkQueue
    ) -> (WorkQueue, UInt32, RequestWorkers.Work)? {
        idle.append(thread)
        running.remove(uid)
        if waiting[uid] != nil { ready.append(uid) }
        return next()
    }
}
