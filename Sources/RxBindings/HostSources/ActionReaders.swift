internal import Rx
package import RxHost
internal import RxPlatform

/// The sources of actions of a daemon. They read the log in turn, on one thread.
///
/// However many streams read an event, whoever publishes it only notes that there is one, and waits for one reader at
/// most, which holds the log's lock.
package final class ActionReaders: Sendable {
    private struct State {
        /// The sources that have started and have not stopped.
        var sources: [ObjectIdentifier: ActionSource] = [:]
        /// Calls `wake`, as long as there are sources.
        var tail: (any Disposable)?
        /// Whether there may be more to read for all of them.
        var isWoken = false
        /// The sources that are going to read, in their order.
        var ready = Queue<ActionSource>()
        /// Whether one reads, or is going to.
        var isBusy = false
    }

    let host: Host
    private let queue: WorkQueue
    private let state = Locked(State())

    package init(_ host: Host) {
        self.host = host
        queue = host.platform.queues.serial("rxd.streams.events")
    }

    /// From now on, the source is asked whether it reads whenever there is more.
    func add(_ source: ActionSource) {
        let hasTail = state.withLock { state in
            state.sources[ObjectIdentifier(source)] = source
            return state.tail != nil
        }
        guard !hasTail else { return }
        let tail = host.log.addTail { [weak self] in self?.wake() }
        // Others may have been first, or the source may have stopped.
        let unused = state.withLock { state -> (any Disposable)? in
            guard state.tail == nil, !state.sources.isEmpty else { return tail }
            state.tail = tail
            return nil
        }
        unused?.dispose()
    }

    /// The source does not read any more once this has returned.
    func remove(_ source: ActionSource) {
        let tail = state.withLock { state -> (any Disposable)? in
            state.sources[ObjectIdentifier(source)] = nil
            guard state.sources.isEmpty else { return nil }
            defer { state.tail = nil }
            return state.tail
        }
        tail?.dispose()
        queue.run {}
    }

    /// Has the source read when it is its turn.
    func enqueue(_ source: ActionSource) {
        goOn { $0.ready.append(source) }
    }

    private func wake() {
        goOn { $0.isWoken = true }
    }

    private func goOn(_ change: (inout State) -> Void) {
        let isNew = state.withLock { state in
            change(&state)
            defer { state.isBusy = true }
            return !state.isBusy
        }
        if isNew { queue.async { self.readNext() } }
    }

    /// Has one source read. Others that wait for the queue, in `remove`, wait for no more.
    private func readNext() {
        let woken = state.withLock { state in
            defer { state.isWoken = false }
            return state.isWoken ? Array(state.sources.values) : []
        }
        let due = woken.filter { $0.beginsToRead() }
        let next = state.withLock { state in
            for source in due { state.ready.append(source) }
            return state.ready.removeFirst()
        }
        next?.read()
        let hasMore = state.withLock { state in
            state.isBusy = state.isWoken || !state.ready.isEmpty
            return state.isBusy
        }
        if hasMore { queue.async { self.readNext() } }
    }
}
