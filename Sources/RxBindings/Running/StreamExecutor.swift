internal import Rx
internal import RxHost
package import RxPlatform

/// What runs in turns that never overlap: a stream, or the condition of an action.
protocol TurnTaker: AnyObject, Sendable {
    /// Processes what has arrived.
    ///
    /// - Returns: whether there is more to do.
    func takeTurn() -> Bool
}

/// Runs streams in turns, on two lanes: a lane waits while a program of its stream runs in a worker, and there are two
/// workers.
package final class StreamExecutor: Sendable {
    private static let lanes = 2

    fileprivate struct State {
        var ready = Queue<any TurnTaker>()
        /// Lanes that are not running.
        var idle: [Int]
        /// What a lane that is running answers after its turn.
        var probes: [[@Sendable () -> Void]]
    }

    private let queues: [WorkQueue]
    private let state: Locked<State>

    package init(_ platform: Platform) {
        queues = (1...Self.lanes).map { platform.queues.serial("rxd.streams.\($0)") }
        state = Locked(
            State(idle: Array((0..<Self.lanes).reversed()), probes: Array(repeating: [], count: Self.lanes)))
    }

    /// Has a stream take a turn. Streams take turns in the order of these calls. Any thread.
    func schedule(_ stream: any TurnTaker) {
        let lane = state.withLock { state -> Int? in
            state.ready.append(stream)
            return state.idle.popLast()
        }
        if let lane { queues[lane].async { self.run(lane) } }
    }

    /// Calls `answer` once each lane has ended the turn that it takes now.
    func probe(_ answer: @escaping @Sendable () -> Void) {
        let left = Countdown(Self.lanes) { answer() }
        // A lane answers between two turns: one that always has more to do never leaves its queue.
        let idle = state.withLock { state -> [Int] in
            for lane in 0..<Self.lanes { state.probes[lane].append(left.count) }
            defer { state.idle = [] }
            return state.idle
        }
        for lane in idle { queues[lane].async { self.run(lane) } }
    }

    private func run(_ lane: Int) {
        while true {
            for answer in state.withLock({ $0.takeProbes(of: lane) }) { answer() }
            let next = state.withLock { state -> (any TurnTaker)? in
                if let next = state.ready.removeFirst() { return next }
                state.idle.append(lane)
                return nil
            }
            guard let next else { break }
            if next.takeTurn() { schedule(next) }
        }
        // Those that came before it was idle.
        for answer in state.withLock({ $0.takeProbes(of: lane) }) { answer() }
    }
}

extension StreamExecutor.State {
    fileprivate mutating func takeProbes(of lane: Int) -> [@Sendable () -> Void] {
        defer { probes[lane] = [] }
        return probes[lane]
    }
}
