package import RxPlatform
internal import Rx

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

    private struct State {
        var ready = Queue<any TurnTaker>()
        /// Lanes that are not running.
        var idle: [Int]
    }

    private let queues: [WorkQueue]
    private let state: Locked<State>

    package init(_ platform: Platform) {
        queues = (1...Self.lanes).map { platform.queues.serial("rxd.streams.\($0)") }
        state = Locked(State(idle: Array((0..<Self.lanes).reversed())))
    }

    /// Has a stream take a turn. Streams take turns in the order of these calls. Any thread.
    func schedule(_ stream: any TurnTaker) {
        let lane = state.withLock { state -> Int? in
            state.ready.append(stream)
            return state.idle.popLast()
        }
        if let lane { queues[lane].async { self.run(lane) } }
    }

    private func run(_ lane: Int) {
        while true {
            let next = state.withLock { state -> (any TurnTaker)? in
                if let next = state.ready.removeFirst() { return next }
                state.idle.append(lane)
                return nil
            }
            guard let next else { return }
            if next.takeTurn() { schedule(next) }
        }
    }
}
