internal import Rx
internal import RxPlatform

/// Waits for the last dispatches of engines that a reload replaces or removes.
final class EngineDrains: Sendable {
    /// The longest wait. Time for programs that a rule has started to end by themselves; the dispatches that are held
    /// meanwhile wait no longer than that either.
    static let limit = Duration.seconds(5)

    private struct State {
        var isStopped = false
        var waits: [ObjectIdentifier: Wait] = [:]
    }

    private struct Wait {
        let backlog: EngineBacklog
        let timer: QueueTimer
    }

    private let queues: Queues
    private let state = Locked(State())

    init(queues: Queues) { self.queues = queues }

    /// Calls `whenDrained` once, on any thread, when the last dispatch of an engine is answered, after `limit`, or at
    /// `stop`.
    func drain(_ backlog: EngineBacklog, _ whenDrained: @escaping @Sendable () -> Void) {
        let wait = Wait(
            backlog: backlog, timer: queues.shared.async(after: Self.limit) { backlog.cutShort() })
        let isStopped = state.withLock { state in
            state.waits[ObjectIdentifier(backlog)] = wait
            return state.isStopped
        }
        backlog.drain { [self] in
            state.withLock { $0.waits.removeValue(forKey: ObjectIdentifier(backlog)) }?.timer.cancel()
            whenDrained()
        }
        if isStopped { backlog.cutShort() }
    }

    /// Ends all waits, and those that begin from now on: the host is stopping.
    func stop() {
        let waits = state.withLock { state in
            state.isStopped = true
            return Array(state.waits.values)
        }
        for wait in waits { wait.backlog.cutShort() }
    }
}
