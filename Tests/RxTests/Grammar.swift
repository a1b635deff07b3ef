import Rx

/// Checks that events come one at a time, and none after an end. For senders on several threads.
final class Grammar<Element: Sendable>: ObserverType {
    private struct State {
        var isInside = false
        var overlaps = 0
        var ends = 0
        var late = 0
        var elements = 0
    }

    private let state = Locked(State())

    func on(_ event: Event<Element>) {
        state.withLock {
            if $0.isInside { $0.overlaps += 1 }
            if $0.ends > 0 { $0.late += 1 }
            if event.isStopEvent { $0.ends += 1 } else { $0.elements += 1 }
            $0.isInside = true
        }
        state.withLock { $0.isInside = false }
    }

    var elements: Int { state.withLock { $0.elements } }

    /// In words, so that a failed expectation shows what is wrong.
    var verdict: String {
        let state = state.withLock { $0 }
        if state.overlaps > 0 { return "\(state.overlaps) events overlapped" }
        if state.late > 0 { return "\(state.late) events after the end" }
        return state.ends == 1 ? "ended well formed" : "open"
    }
}
