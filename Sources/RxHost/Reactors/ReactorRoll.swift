internal import Rx

/// Asks the engines of all reactors whether they make progress.
package final class ReactorRoll: Sendable {
    private struct State {
        var unanswered: Set<String>
        var answer: (@Sendable () -> Void)?
    }

    private let state: Locked<State>

    /// Asks the engines, and calls `answer` once, when the last has answered, on any thread.
    init(_ engines: [(name: String, engine: any ReactorEngine)], answer: @escaping @Sendable () -> Void) {
        state = Locked(State(unanswered: Set(engines.map(\.name)), answer: answer))
        for (name, engine) in engines { engine.probe { self.answered(name) } }
        finish()
    }

    /// The names of the reactors whose engines have not answered, sorted.
    package var unanswered: [String] { state.withLock { $0.unanswered.sorted() } }

    private func answered(_ name: String) {
        state.withLock { _ = $0.unanswered.remove(name) }
        finish()
    }

    private func finish() {
        let answer = state.withLock { state -> (@Sendable () -> Void)? in
            guard state.unanswered.isEmpty else { return nil }
            defer { state.answer = nil }
            return state.answer
        }
        answer?()
    }
}
