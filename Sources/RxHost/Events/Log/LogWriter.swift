internal import Rx
internal import RxPlatform
internal import RxStore

/// Passes events to the store in the order of the log, and lets them be delivered when they are written.
final class LogWriter: Sendable {
    /// The longest time that delivery waits for the disk: readers need not learn of a disk that hangs by silence.
    private static let patience = Duration.seconds(1)

    private struct State {
        /// The last event that could not be written, until the store knows.
        var lostThrough: UInt64?
        /// The last event that is written.
        var writtenThrough: UInt64 = 0
        /// What is noted with the store: up to this event, readers may have received what is not written.
        var notedThrough: UInt64?
        var isWaiting = false
    }

    private let store: ExecutionStore
    private let queue: WorkQueue
    /// The cores that the encoding of pages shares with others.
    let cores: Cores
    /// Held while events are passed on, so that their order stays.
    private let state = Locked(State())

    init(_ store: ExecutionStore, _ platform: Platform) {
        self.store = store
        queue = platform.queues.shared
        cores = platform.cores
    }

    /// Passes on what is not written yet, before anything that the caller passes to the store later. Called after each
    /// change of the log, without its lock.
    func write(_ log: EventLog) {
        let mustWait = state.withLock { state -> Bool in
            let events = log.takeUnwritten()
            guard let last = events.last?.number else { return false }
            let lost = state.lostThrough
            store.log(events, lostThrough: lost) { [self] error in
                written(through: last, lost: lost, error)
                log.written(through: last, isLost: error != nil)
            }
            defer { state.isWaiting = true }
            return !state.isWaiting
        }
        if mustWait { wait(log) }
    }

    private func written(through number: UInt64, lost: UInt64?, _ error: StoreError?) {
        state.withLock { state in
            guard error == nil else {
                state.lostThrough = max(state.lostThrough ?? 0, number)
                return note(through: number, in: &state)
            }
            state.writtenThrough = max(state.writtenThrough, number)
            if state.lostThrough == lost { state.lostThrough = nil }
            guard state.lostThrough == nil, let noted = state.notedThrough, noted <= number else { return }
            state.notedThrough = nil
            store.noteMissing(through: nil)
        }
    }

    /// Notes that events up to `number` are delivered although they are not written. Before they are delivered.
    private func note(through number: UInt64, in state: inout State) {
        guard number > state.notedThrough ?? 0 else { return }
        state.notedThrough = number
        store.noteMissing(through: number)
    }

    /// Ends the wait for events that are not written by then.
    private func wait(_ log: EventLog) {
        let last = log.cursor
        queue.async(after: Self.patience) { [self, weak log] in
            guard let log else { return }
            state.withLock { state in
                guard let number = log.unsettled(through: last), number > state.writtenThrough else { return }
                note(through: number, in: &state)
            }
            log.settle(through: last)
            let goesOn = state.withLock { state in
                state.isWaiting = !log.isSettled
                return state.isWaiting
            }
            if goesOn { wait(log) }
        }
    }

    /// Stores the output of executions in flight in a second, so that a crash loses little of it.
    func storeOutputsLater(_ log: EventLog) {
        queue.async(after: .seconds(1)) { [store, weak log] in
            guard let log else { return }
            for (execution, output) in log.update({ $0.outputs.takeChanged() }) {
                store.keep(output, of: execution.id)
            }
        }
    }

    /// Events of actions and reactors, or those of streams, up to this one are beyond the retention, or could not be
    /// written.
    func trimmedThrough(_ source: EventSource) -> UInt64 {
        source.isOfStreams ? store.trimmedOfStreamsThrough : store.trimmedThrough
    }

    /// Reads a page; nil if it cannot be read.
    ///
    /// - Parameters:
    ///   - query: what the reader wants.
    ///   - user: whose reader it is; nil for one of the daemon.
    ///   - completion: called once, on a queue of the store.
    func page(_ query: LogQuery, for user: UInt32?, completion: @escaping @Sendable (LogPage?) -> Void) {
        store.page(query, for: user) { completion(try? $0.get()) }
    }

    /// Reserves numbers for further events.
    func reserve(through number: UInt64, for log: EventLog) {
        store.reserveNumbers(through: number) { [weak log] error in
            if error == nil { log?.reserve(through: number) }
        }
    }
}
