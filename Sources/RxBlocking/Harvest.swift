internal import FoundationEssentials
internal import Rx

/// The elements and the end that a blocked caller waits for.
final class Harvest<Element: RxSendable>: Sendable {
    private struct State {
        var elements: [Element] = []
        var end: MaterializedSequenceResult<Element>?
    }

    private let max: Int
    private let state = Locked(State())
    private let blockade = Blockade()

    init(max: Int) {
        self.max = max
    }

    var isOver: Bool { state.withLock { $0.end != nil } }

    /// The result; valid after the end.
    var result: MaterializedSequenceResult<Element> {
        guard let end = state.withLock({ $0.end }) else { preconditionFailure("a result is read at the end") }
        return end
    }

    func append(_ element: Element) {
        let isFull = state.withLock {
            if $0.end == nil { $0.elements.append(element) }
            return $0.elements.count >= max
        }
        if isFull { end(nil) }
    }

    /// Records the end. Only the first call counts.
    func end(_ error: (any Error)?) {
        state.withLock {
            if $0.end != nil { return }
            $0.end =
                if let error { .failed(elements: $0.elements, error: error) } else { .completed(elements: $0.elements) }
        }
        blockade.lift()
    }

    func wait(_ timeout: TimeInterval?) -> Bool { blockade.wait(timeout) }
}
