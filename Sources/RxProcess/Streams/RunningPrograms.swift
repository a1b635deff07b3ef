internal import Rx

/// The programs of sources that run, so that a daemon that stops can wait for their ends.
package final class RunningPrograms: Sendable {
    private struct State {
        var count = 0
        var waiting: [@Sendable () -> Void] = []
    }

    private let state = Locked(State())

    /// Without programs.
    package init() {}

    func noteStart() { state.withLock { $0.count += 1 } }

    func noteEnd() {
        let waiting = state.withLock { state -> [@Sendable () -> Void] in
            state.count -= 1
            guard state.count == 0 else { return [] }
            defer { state.waiting = [] }
            return state.waiting
        }
        for completion in waiting { completion() }
    }

    /// Calls `completion` once, on any thread, when no program runs.
    package func whenNoneRuns(_ completion: @escaping @Sendable () -> Void) {
        let isNone = state.withLock { state in
            if state.count > 0 { state.waiting.append(completion) }
            return state.count == 0
        }
        if isNone { completion() }
    }
}
