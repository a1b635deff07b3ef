internal import Rx

/// An element on its way through an executing step. While there is one, the position of the source stays before it.
// Unchecked: belongs to the stream's turn.
final class Passage: @unchecked Sendable {
    private let step: StepContext
    /// Nil once the passage has ended.
    private var element: StreamElement?
    /// The user who has sent the element; nil without one.
    let user: ObjectIdentifier?
    /// The element's.
    let cost: Int
    /// Where it waits, together with `StepCounter.passages`.
    private var queue: PassageQueue?

    init(_ step: StepContext, _ element: StreamElement) {
        self.step = step
        self.element = element
        user = (element.charge as? any UserCharge)?.user
        cost = element.cost
        step.stream.hold()
        step.scope.wait(1)
    }

    deinit { end() }

    /// Whether the element waits for its turn.
    var isWaiting: Bool { queue != nil }

    /// Has the element wait among those of its chain.
    func wait(in queue: PassageQueue) {
        self.queue = queue
        queue.append(self)
        step.counter.waiting += 1
        step.counter.waitingBytes += cost
        step.counter.passages.append(self)
    }

    /// The element does not wait any more.
    func leaveQueue() {
        guard let queue else { return }
        self.queue = nil
        queue.noteEnd(of: self)
        step.counter.waiting -= 1
        step.counter.waitingBytes -= cost
        step.counter.passages.noteEnd(of: self)
    }

    /// The work for the element, at whose end the passage ends.
    func work(
        _ body: @escaping @Sendable (StreamElement) -> Observable<StreamElement>
    ) -> Observable<StreamElement> {
        Observable.deferred { [self] in element.map(body) ?? .empty() }.do(onDispose: { self.end() })
    }

    func end() {
        leaveQueue()
        guard element != nil else { return }
        element = nil
        step.stream.release()
        step.scope.wait(-1)
    }
}
