internal import Rx
internal import RxPlatform
internal import RxStore

/// Passes events to the store in the order of the log, and lets them be delivered when they are written.
final class LogWriter: Sendable {
    /// The longest time that delivery waits for the disk: readers need not learn of a disk that hangs by silence.
    private static let patience = Duration.seconds(1)

    /// Events that were passed to the store together.
    private struct Batch {
        let numbers: ClosedRange<UInt64>
        /// The first event of the executions that the batch is about, or of the batch: if an end is lost, the store
        /// removes what it has of the execution.
        let begin: UInt64
        /// What the store knows to be lost, once it has written the batch.
        let lost: ClosedRange<UInt64>?

        /// What is missing without the batch.
        var all: ClosedRange<UInt64> { begin...numbers.upperBound }
    }

    private struct State {
        /// The batches that are not dealt with, in the order of the log.
        var batches = Queue<Batch>()
        /// Whether those that the store has answered for are lost, by their first numbers. It refuses a batch at once
        /// if too many wait.
        var answers: [UInt64: Bool] = [:]
        /// Whether a thread passes an answer on to the log.
        var isPassing = false
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
            state.batches.append(
                Batch(numbers: first...last, begin: events.reduce(first) { min($0, $1.begin) }, lost: state.lost))
            store.log(events, lost: state.lost) { [self] error in
                self.state.withLock { $0.answers[first] = error != nil }
                passAnswers(to: log)
            }
            defer { state.isWaiting = true }
            return !state.isWaiting
        }
        if mustWait { wait(log) }
    }

    /// Passes on the store's answers in the order of the log, without the lock.
    private func passAnswers(to log: EventLog) {
        while let (batch, isLost) = state.withLock({ takeAnswer(in: &$0) }) {
            log.written(batch.all, isLost: isLost)
            state.withLock { $0.isPassing = false }
        }
    }

    private func takeAnswer(in state: inout State) -> (Batch, isLost: Bool)? {
        guard !state.isPassing, let batch = state.batches.first,
            let isLost = state.answers.removeValue(forKey: batch.numbers.lowerBound)
        else { return nil }
        state.isPassing = true
        state.batches.removeFirst()
        if isLost { lose(batch, in: &state) } else { written(batch, in: &state) }
        return (batch, isLost)
    }

    private func written(_ batch: Batch, in state: inout State) {
        let last = batch.numbers.upperBound
        state.writtenThrough = max(state.writtenThrough, last)
        if state.lost == batch.lost { state.lost = nil }
        guard state.lost == nil, let noted = state.noted, noted.upperBound <= last else { return }
        state.noted = nil
        store.noteMissing(nil)
    }

    private func lose(_ batch: Batch, in state: inout State) {
        state.lost = state.lost?.joined(batch.all) ?? batch.all
        note(batch.all, in: &state)
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

    /// Reads a page.
    ///
    /// - Parameters:
    ///   - query: what the reader wants.
    ///   - user: whose reader it is; nil for one of the daemon.
    ///   - completion: called once, on a queue of the store.
    func page(
        _ query: LogQuery, for user: UInt32?, completion: @escaping @Sendable (Result<LogPage, StoreError>) -> Void
    ) { store.page(query, for: user, completion: completion) }

    /// Reserves numbers for further events.
    func reserve(through number: UInt64, for log: EventLog) {
        store.reserveNumbers(through: number) { [weak log] error in
            if error == nil { log?.reserve(through: number) }
        }
    }
}
