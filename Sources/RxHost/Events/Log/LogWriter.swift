internal import Rx
internal import RxPlatform
internal import RxStore

/// Passes events to the store in the order of the log, and lets them be delivered when they are written.
final class LogWriter: Sendable {
    /// The longest time that delivery waits for the disk: readers need not learn of a disk that hangs by silence.
    private static let patience = Duration.seconds(1)

    private struct State {
        /// The events that could not be written, until the store knows.
        var lost: ClosedRange<UInt64>?
        /// The last event that is written.
        var writtenThrough: UInt64 = 0
        /// What is noted with the store: readers may have received these events, and they are not written.
        var noted: ClosedRange<UInt64>?
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
            guard let first = events.first?.number, let last = events.last?.number else { return false }
            let lost = state.lost
            store.log(events, lost: lost) { [self] error in
                written(first...last, lost: lost, error)
                log.written(first...last, isLost: error != nil)
            }
            defer { state.isWaiting = true }
            return !state.isWaiting
        }
        if mustWait { wait(log) }
    }

    /// - Parameter lost: what the store knows to be lost, now that it has written these events.
    private func written(_ numbers: ClosedRange<UInt64>, lost: ClosedRange<UInt64>?, _ error: StoreError?) {
        state.withLock { state in
            guard error == nil else {
                state.lost = state.lost?.joined(numbers) ?? numbers
                return note(numbers, in: &state)
            }
            state.writtenThrough = max(state.writtenThrough, numbers.upperBound)
            if state.lost == lost { state.lost = nil }
            guard state.lost == nil, let noted = state.noted, noted.upperBound <= numbers.upperBound else { return }
            state.noted = nil
            store.noteMissing(nil)
        }
    }

    /// Notes that events are delivered although they are not written. Before they are delivered.
    private func note(_ numbers: ClosedRange<UInt64>, in state: inout State) {
        let all = state.noted?.joined(numbers) ?? numbers
        guard all != state.noted else { return }
        state.noted = all
        store.noteMissing(all)
    }

    /// Ends the wait for events that are not written by then.
    private func wait(_ log: EventLog) {
        let last = log.cursor
        queue.async(after: Self.patience) { [self, weak log] in
            guard let log else { return }
            state.withLock { state in
                guard let numbers = log.unsettled(through: last), numbers.upperBound > state.writtenThrough
                else { return }
                note(max(numbers.lowerBound, state.writtenThrough + 1)...numbers.upperBound, in: &state)
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

    /// Events of actions and reactors, or those of streams, up to this one are beyond the retention.
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
