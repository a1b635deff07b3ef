internal import Rx
internal import RxPlatform
internal import RxSources
internal import RxStreams
internal import RxTime

/// The turns of one stream: what arrives waits here until the stream takes a turn, and turns never overlap.
final class StreamTurns: TurnTaker, Sendable {
    private struct State {
        var inbox = Inbox()
        /// Whether a turn is under way or is going to be.
        var isBusy = false
        /// Whether another turn has to follow the one under way.
        var isWanted = false
        var isStopped = false
        var body: (@Sendable () -> Bool)?
    }

    private let executor: StreamExecutor
    private let clock: any AlarmClock
    private let alarms: WorkQueue
    private let state = Locked(State())

    init(_ services: StreamServices) {
        executor = services.executor
        clock = services.clock
        alarms = services.queue
    }

    /// - Parameter body: a turn, in which the inbox is taken; returns whether what is left in it can be taken at once.
    func begin(_ body: @escaping @Sendable () -> Bool) { state.withLock { $0.body = body } }

    /// Drops what has arrived and what arrives from now on. In a turn.
    func stop() {
        let left = state.withLock { state in
            state.isStopped = true
            state.body = nil
            defer { state.inbox = Inbox() }
            return state.inbox
        }
        // What they hold is released outside of the lock.
        withExtendedLifetime(left) {}
    }

    // MARK: Arrival, on any thread

    /// Elements of a source that can wait. The stream takes them in the turn after the next `wake`.
    func receive(paced elements: [StreamElement], port: Int) {
        state.withLock { if !$0.isStopped { $0.inbox.append(.elements(elements, port: port, isPaced: true)) } }
    }

    /// Elements of a source that cannot wait.
    ///
    /// - Returns: how many had to be dropped.
    func receive(unpaced elements: [StreamElement], port: Int) -> Int {
        // Released outside of the lock, and with them what their senders are charged with.
        let lost = state.withLock { $0.isStopped ? [] : $0.inbox.append(unpaced: elements, port: port) }
        wake()
        return lost.count
    }

    /// An element of an execution that a step has requested.
    ///
    /// - Returns: how many of the oldest had to be dropped, by the places of their steps.
    func receive(_ result: Inbox.Result) -> [String: Int] {
        let dropped = state.withLock { $0.isStopped ? [:] : $0.inbox.append(result) }
        wake()
        return dropped
    }

    /// A current value of a level, in place of one that waits.
    ///
    /// - Parameters:
    ///   - key: which of the port's current values it is.
    ///   - isReplay: whether it was current before the stream began to read it.
    /// - Returns: how many values were coalesced.
    func receive(level element: StreamElement, _ key: String, port: Int, isReplay: Bool) -> Int {
        let isCoalesced = state.withLock { state in
            !state.isStopped && state.inbox.append(level: element, key, port: port, isReplay: isReplay)
        }
        wake()
        return isCoalesced ? 1 : 0
    }

    /// A source has ended.
    func end(port: Int) { add(.end(port: port)) }

    /// Runs `body` in a turn of the stream.
    ///
    /// - Returns: whether the stream has not stopped yet; it may still stop before it does.
    @discardableResult
    func perform(_ body: @escaping @Sendable () -> Void) -> Bool { add(.work(body)) }

    @discardableResult
    private func add(_ item: Inbox.Item) -> Bool {
        let isTaken = state.withLock { state in
            if !state.isStopped { state.inbox.append(item) }
            return !state.isStopped
        }
        if isTaken { wake() }
        return isTaken
    }

    /// Has the stream take a turn.
    func wake() {
        let isNew = state.withLock { state in
            state.isWanted = state.isBusy
            defer { state.isBusy = true }
            return !state.isBusy
        }
        if isNew { executor.schedule(self) }
    }

    /// Has the stream take a turn later.
    func wake(after microseconds: Int64) {
        clock.schedule(at: clock.now.adding(microseconds: microseconds), on: alarms) { [weak self] in self?.wake() }
    }

    // MARK: A turn

    func takeTurn() -> Bool {
        let body = state.withLock { state in
            state.isWanted = false
            return state.body
        }
        let goesOn = body?() ?? false
        return state.withLock { state in
            let isDue = goesOn && !state.isStopped && !state.inbox.isEmpty
            state.isBusy = isDue || state.isWanted
            return state.isBusy
        }
    }

    /// Takes the next item; of a longer batch, at most `most` elements.
    func takeFirst(atMost most: Int) -> Inbox.Item? { state.withLock { $0.inbox.takeFirst(atMost: most) } }

    /// Puts back what was taken and not processed.
    func putBack(_ item: Inbox.Item) { state.withLock { $0.inbox.putBack(item) } }

    /// Whether nothing waits that a source which can wait has emitted.
    var hasNoPaced: Bool { state.withLock { $0.inbox.paced == 0 } }

    /// Notes what waits at the `on`s, which counts towards the limits of the inbox.
    func note(waiting size: InboxSize) { state.withLock { $0.inbox.beyond = size } }

    /// Drops the elements that have arrived: the stream is disabled.
    func dropElements() {
        let left = state.withLock { state in
            defer { state.inbox.dropElements() }
            return state.inbox
        }
        withExtendedLifetime(left) {}
    }
}
