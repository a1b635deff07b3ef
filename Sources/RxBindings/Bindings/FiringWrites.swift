internal import Rx
internal import RxTime

/// When the rows of firings are written: at most once in a second, since they are many and only shown.
final class FiringWrites: Sendable {
    private static let distance: Int64 = 1_000_000

    private struct State {
        var isDirty = false
        var written: Instant?
    }

    private let turns: StreamTurns
    private let state = Locked(State())

    init(_ turns: StreamTurns) { self.turns = turns }

    /// Rows are out of date. Any thread.
    func note() {
        let isNew = state.withLock { state in
            defer { state.isDirty = true }
            return !state.isDirty
        }
        if isNew { turns.wake(after: Self.distance) }
    }

    /// Whether rows are to be written now.
    func takeDue(at now: Instant) -> Bool {
        state.withLock { state in
            let isDue = state.written.map { $0.adding(microseconds: Self.distance) <= now || now < $0 } ?? true
            guard state.isDirty, isDue else { return false }
            state.isDirty = false
            state.written = now
            return true
        }
    }
}
