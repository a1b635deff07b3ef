internal import Rx
internal import RxJSON
internal import RxSources
internal import RxStreams
internal import RxTime

/// What leaves a stream: its channels, for subscribers and for the streams that read it, and its figures.
///
/// Elements and firings leave in the stream's turn, the rest on any thread.
final class StreamOutput: Sendable {
    let name: String
    private let publisher: StreamPublisher
    private let clock: any AlarmClock
    private let count = Locked(StreamFigures())
    private let readers = Locked(Readers())
    private let drops = Locked(UnreportedDrops())
    private let turns: StreamTurns

    private struct Readers {
        var all: [Int: Reader] = [:]
        var next = 0
    }

    /// Another stream, or a condition, that receives what a channel carries.
    private struct Reader: Sendable {
        let channel: StreamChannel
        let body: @Sendable (StreamElement) -> Void
    }

    /// - Parameter turns: of the stream, which report later what cannot be reported at once.
    init(_ name: String, _ services: StreamServices, turns: StreamTurns) {
        self.name = name
        self.turns = turns
        publisher = services.publisher
        clock = services.clock
    }

    /// What the stream has done.
    var figures: StreamFigures { count.withLock { $0 } }

    // MARK: Channels

    func emit(_ element: StreamElement) {
        count.withLock { $0.emitted += 1 }
        publisher.publish(.element(element.value), name, element.time)
        pass(element, to: .elements)
    }

    func report(_ failure: StreamFailure) {
        count.withLock { $0.failures += 1 }
        publisher.publish(.failure(failure), name, clock.now)
        pass(failure.json, to: .errors)
    }

    func publish(_ firing: Firing) {
        publisher.publish(.firing(firing), name, clock.now)
        pass(firing.json, to: .firings)
    }

    /// The execution of a firing has ended: subscribers receive the firing again. To other streams, a firing is one
    /// element.
    func publish(end firing: Firing) { publisher.publish(.firingEnded(firing), name, clock.now) }

    /// Elements had to be dropped before a step; `0` is the source.
    func lose(_ lost: Int, step: String) {
        count.withLock { $0.lost += lost }
        let isFirst = drops.withLock { $0.add(lost, step: step) }
        guard isFirst else { return }
        reportDrops()
        turns.wake(after: UnreportedDrops.distance)
    }

    /// Reports the drops that are due: once in a second, so that a flood of drops is none of reports.
    func reportDrops() { report(drops.withLock { $0.takeDue(at: clock.now) }) }

    /// Reports all drops: the stream stops.
    func reportLastDrops() { report(drops.withLock { $0.takeAll() }) }

    private func report(_ drops: [(count: Int, step: String)]) {
        for drop in drops { publisher.publish(.lost(drop.count, step: drop.step), name, clock.now) }
    }

    /// The source waits for its environment, with the reason; or, with nil, does no longer.
    func note(waiting reason: String?) { publisher.publish(.waiting(reason), name, clock.now) }

    // MARK: Figures that others have

    func note(taken: Int) { count.withLock { $0.taken += taken } }

    /// - Parameter due: when something is due next in the steps.
    func note(_ steps: [StreamStatus.Step], due: Instant?) {
        count.withLock { figures in
            figures.steps = steps
            figures.due = due
        }
    }

    func noteEnd() { count.withLock { $0.hasEnded = true } }

    // MARK: Readers

    /// Passes what a channel carries to a reader from now on.
    ///
    /// - Parameter body: called in the stream's turn, or on any thread; it must not wait.
    func connect(
        _ channel: StreamChannel, _ body: @escaping @Sendable (StreamElement) -> Void
    ) -> any Disposable {
        let number = readers.withLock { readers in
            readers.next += 1
            readers.all[readers.next] = Reader(channel: channel, body: body)
            return readers.next
        }
        return Disposables.create { [weak self] in self?.readers.withLock { _ = $0.all.removeValue(forKey: number) } }
    }

    private func pass(_ value: @autoclosure () -> JSONValue, to channel: StreamChannel) {
        guard readers.withLock({ $0.all.values.contains { $0.channel == channel } }) else { return }
        pass(StreamElement(value: RawJSON(value()), time: clock.now), to: channel)
    }

    private func pass(_ element: StreamElement, to channel: StreamChannel) {
        for reader in readers.withLock({ Array($0.all.values) }) where reader.channel == channel {
            reader.body(element)
        }
    }
}
