internal import RxJSON

/// A reactor in a test.
// Unchecked: a test runs on one thread.
final class RunningReactor: @unchecked Sendable {
    private let reactor: TestedReactor
    private(set) var state: RawJSON
    private(set) var revision = 0

    init(_ reactor: TestedReactor) {
        self.reactor = reactor
        state = reactor.initial
    }

    /// Takes an action; true if the state has changed.
    func reduce(_ action: RawJSON) throws -> Bool {
        let next = try reactor.reduce(state, action)
        guard next != state, next.value() != state.value() else { return false }
        state = next
        revision += 1
        return true
    }
}
