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
    /// Where conditions find the last element.
    private let lastElements: LastElements
    private let count = Locked(StreamFigures())
    private let drops = Locked(UnreportedDrops())
    private let turns: StreamTurns
    /// Whether it stores what it passes to streams that read it, and does not wait for them before it stores positions.
    private let storesHandoffs: Bool
    private let state: Locked<State>

    private struct State {
        var level: LevelValues
        var readers: [Int: Reader] = [:]
        var handoffs: [StreamHandoff] = []
        var lastReader = 0
    }

    /// Another stream, or a condition, that receives what a channel carries.
    private struct Reader: Sendable {
        let channel: StreamChannel
        let body: StreamReader
    }

    /// - Parameters:
    ///   - level: whether the elements are a current value, which each reader receives at first.
    ///   - storesHandoffs: whether it stores what it passes to streams that read it.
    ///   - turns: of the stream, which report later what cannot be reported at once.
    init(_ name: String, _ level: LevelKind, storesHandoffs: Bool, _ services: StreamServices, turns: StreamTurns) {
        self.name = name
        self.storesHandoffs = storesHandoffs
        self.turns = turns
        publisher = services.publisher
        clock = services.clock
        lastElements = services.lastElements
        state = Locked(State(level: LevelValues(level)))
    }

    /// What the stream has done.
    var figures: StreamFigures { count.withLock { $0 } }

    // MARK: Channels

    /// - Parameters:
    ///   - shown: the value as subscribers receive it, and as it is kept.
    ///   - isReplay: whether it is a current value that was current before the stream began.
    func emit(_ element: StreamElement, shown: RawJSON, isReplay: Bool) {
        guard !state.withLock({ $0.level.take(element, shown: shown, isReplay: isReplay) }) else { return }
        count.withLock { $0.emitted += 1 }
        publisher.publish(.element(shown), name, element.time)
        lastElements.note(element.value, of: name)
        pass(element, to: .elements, isReplay: isReplay)
        for handoff in handoffs { handoff.take(element, isStored: storesHandoffs) }
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

    /// Elements had to be dropped before a step; `0` is the source. Nil if nobody knows whether there were any: the
    /// figure counts those that are known.
    func lose(_ lost: Int?, step: String) {
        if let lost { count.withLock { $0.lost += lost } }
        let isFirst = drops.withLock { $0.add(lost, step: step) }
        guard isFirst else { return }
        reportDrops()
        turns.wake(after: UnreportedDrops.distance)
    }

    /// Reports the drops that are due: once in a second, so that many drops give few reports.
    func reportDrops() { report(drops.withLock { $0.takeDue(at: clock.now) }) }

    /// Reports all drops: the stream stops.
    func reportLastDrops() { report(drops.withLock { $0.takeAll() }) }

    private func report(_ drops: [(count: Int?, step: String)]) {
        for drop in drops { publisher.publish(.lost(drop.count, step: drop.step), name, clock.now) }
    }

    /// The source waits for its environment, with the reason; or, with nil, does no longer.
    func note(waiting reason: String?) { publisher.publish(.waiting(reason), name, clock.now) }

    // MARK: Figures that others have

    func note(coalesced: Int) { if coalesced > 0 { count.withLock { $0.coalesced += coalesced } } }
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

    /// The current values of a level, as subscribers receive them. Any thread.
    var currentValues: [RawJSON] { state.withLock { $0.level.shown } }

    /// Passes what a channel carries to a reader from now on; of a level, the current values first.
    func connect(_ channel: StreamChannel, _ body: @escaping StreamReader) -> any Disposable {
        let (number, isLevel) = state.withLock { state in
            state.lastReader += 1
            state.readers[state.lastReader] = Reader(channel: channel, body: body)
            return (state.lastReader, !state.level.all.isEmpty)
        }
        // In a turn, so that no newer value comes first.
        if isLevel, channel == .elements { turns.perform { [weak self] in self?.replay(to: number) } }
        return Disposables.create { [weak self] in self?.state.withLock { _ = $0.readers.removeValue(forKey: number) } }
    }

    /// Passes the elements to a handoff from now on, unless it does already.
    func connect(_ handoff: StreamHandoff) {
        guard !handoffs.contains(where: { $0 === handoff }) else { return }
        let connection = Disposables.create { [weak self] in
            self?.state.withLock { $0.handoffs.removeAll { $0 === handoff } }
        }
        handoff.connect(self, connection) { [weak turns] in turns?.wake() }
        state.withLock { $0.handoffs.append(handoff) }
    }

    /// What it passes to streams that read it, if positions depend on it.
    var handoffs: [StreamHandoff] { state.withLock { $0.handoffs } }

    private func replay(to number: Int) {
        let (reader, values) = state.withLock { ($0.readers[number], $0.level.all) }
        for value in values { reader?.body(value, true) }
    }

    private func pass(_ value: @autoclosure () -> JSONValue, to channel: StreamChannel) {
        guard state.withLock({ $0.readers.values.contains { $0.channel == channel } }) else { return }
        pass(StreamElement(value: RawJSON(value()), time: clock.now), to: channel, isReplay: false)
    }

    private func pass(_ element: StreamElement, to channel: StreamChannel, isReplay: Bool) {
        for reader in state.withLock({ Array($0.readers.values) }) where reader.channel == channel {
            reader.body(element, isReplay)
        }
    }
}

/// Receives what a channel of a stream carries, in the stream's turn or on any thread; it must not wait. The second
/// argument is whether a current value was current before, so that it may be known.
typealias StreamReader = @Sendable (StreamElement, Bool) -> Void
