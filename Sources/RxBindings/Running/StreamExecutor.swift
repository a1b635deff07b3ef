internal import Rx
internal import RxHost
package import RxPlatform

/// What runs in turns that never overlap: a stream, or the condition of an action.
protocol TurnTaker: AnyObject, Sendable {
    /// Processes what has arrived, until `StreamTurn.current` is over.
    ///
    /// - Returns: whether there is more to do.
    func takeTurn() -> Bool
}

/// Runs streams in turns, on two lanes: a lane waits while a program of its stream runs in a worker, and there are two
/// workers.
///
/// A turn that is over and still goes on, because an element has become many or has many steps, leaves its place to
/// another lane: the others wait for a worker then, but not for its end.
package final class StreamExecutor: Sendable {
    private static let lanes = 2
    /// The most lanes, with those whose turns go on too long. Each has a thread.
    fileprivate static let mostLanes = 8

    /// A thread that runs turns, one at a time. All but the queue belongs to the state.
    // Unchecked: see above.
    fileprivate final class Lane: @unchecked Sendable {
        let queue: WorkQueue
        /// What it answers when its turn makes progress, or is over.
        var probes: [@Sendable () -> Void] = []
        /// Whether another lane has its place: then it ends with its turn.
        var isReplaced = false

        init(_ queue: WorkQueue) { self.queue = queue }
    }

    fileprivate struct State {
        var ready = Queue<any TurnTaker>()
        var lanes: [Lane] = []
        /// Lanes that are not running.
        var idle: [Lane] = []
    }

    private let queues: Queues
    private let clock: MonotonicClock
    private let state: Locked<State>

    package init(_ platform: Platform) {
        queues = platform.queues
        clock = platform.monotonicClock
        let lanes = (0..<Self.lanes).map { [queues] _ in Lane(queues.serial("rxd.streams")) }
        state = Locked(State(lanes: lanes, idle: lanes))
    }

    /// Has a stream take a turn. Streams take turns in the order of these calls. Any thread.
    func schedule(_ stream: any TurnTaker) {
        let lane = state.withLock { state -> Lane? in
            state.ready.append(stream)
            return state.idle.popLast()
        }
        if let lane { start(lane) }
    }

    /// Calls `answer` once each lane has made progress: its turn has ended, or a program of it.
    func probe(_ answer: @escaping @Sendable () -> Void) {
        let idle = state.withLock { state -> [Lane] in
            // A lane answers on its own thread: one that always has more to do never leaves its queue.
            let left = Countdown(state.lanes.count) { answer() }
            for lane in state.lanes { lane.probes.append(left.count) }
            defer { state.idle = [] }
            return state.idle
        }
        for lane in idle { start(lane) }
    }

    private func start(_ lane: Lane) { lane.queue.async { self.run(lane) } }

    private func run(_ lane: Lane) {
        while true {
            answerProbes(of: lane)
            let next = state.withLock { state -> (any TurnTaker)? in
                if !lane.isReplaced, let next = state.ready.removeFirst() { return next }
                if lane.isReplaced { state.lanes.removeAll { $0 === lane } } else { state.idle.append(lane) }
                return nil
            }
            guard let next else { break }
            let turn = StreamTurn(clock) { isLong in
                self.answerProbes(of: lane)
                if isLong { self.replace(lane) }
            }
            if StreamTurn.$current.withValue(turn, operation: next.takeTurn) { schedule(next) }
        }
        // Those that came before it was idle.
        answerProbes(of: lane)
    }

    private func answerProbes(of lane: Lane) {
        for answer in state.withLock({ $0.takeProbes(of: lane) }) { answer() }
    }

    /// Has another lane run those that wait for the end of this one's turn.
    private func replace(_ lane: Lane) {
        guard state.withLock({ $0.mayReplace(lane) }) else { return }
        let other = Lane(queues.serial("rxd.streams"))
        let isReplaced = state.withLock { state in
            guard state.mayReplace(lane) else { return false }
            lane.isReplaced = true
            state.lanes.append(other)
            return true
        }
        if isReplaced { start(other) }
    }
}

extension StreamExecutor.State {
    fileprivate func takeProbes(of lane: StreamExecutor.Lane) -> [@Sendable () -> Void] {
        defer { lane.probes = [] }
        return lane.probes
    }

    fileprivate func mayReplace(_ lane: StreamExecutor.Lane) -> Bool {
        !lane.isReplaced && !ready.isEmpty && lanes.count < StreamExecutor.mostLanes
    }
}
