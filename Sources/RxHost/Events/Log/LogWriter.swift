internal import Rx
internal import RxPlatform
internal import RxStore

/// Passes events to the store in the order of the log, and lets them be delivered when they are written.
final class LogWriter: Sendable {
    /// The longest time that delivery waits for the disk: readers need not learn of a disk that hangs by silence.
    private static let patience = Duration.seconds(1)

    /// Events that the store has taken together, and has to answer for.
    private struct Batch {
        let numbers: ClosedRange<UInt64>
        /// The first event of the executions whose ends are among them, if that comes before: the store removes all of
        /// an execution whose end it could not write.
        let begin: UInt64
        /// What the store knows to be lost, once it has written the batch.
        let lost: ClosedRange<UInt64>?
    }

    /// What the log learns about events that the store was to keep.
    private struct Answer {
        /// The events; if they are lost, all that are missing without them.
        let numbers: ClosedRange<UInt64>
        let isLost: Bool
    }

    private struct State {
        /// The batches whose answers were not passed on, in the order of the log. The store answers in the same order.
        var batches = Queue<Batch>()
        /// For each of the first batches, whether it is lost.
        var answers = Queue<Bool>()
        /// Events that the store has refused at once, by the last number of the batch before them: the log learns of
        /// them after that batch.
        var refused: [UInt64: ClosedRange<UInt64>] = [:]
        /// Refused events of which the log has to learn next.
        var due: ClosedRange<UInt64>?
        /// Whether a thread passes an answer on to the log.
        var isPassing = false
        /// The events that could not be written, until the store knows.
        var lost: ClosedRange<UInt64>?
        /// The last event that is written.
        var writtenThrough: UInt64 = 0
        /// What is noted with the store: readers may have received these events, and they are not written.
        var noted: ClosedRange<UInt64>?
        var ends = UnansweredEnds()
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
        let (mustWait, refused) = state.withLock { state -> (Bool, [LoggedEvent]) in
            let (names, events) = log.takeUnwritten()
            if !names.isEmpty { store.note(names) }
            guard let first = events.first?.number, let last = events.last?.number else { return (false, []) }
            let (lost, begin) = (state.lost, events.reduce(first) { min($0, $1.begin) })
            // A kill must not leave an execution that has ended without a trace.
            let error = store.log(events, lost: lost, onRefused: { note(begin...last, in: &state) }) { [self] error in
                self.state.withLock { $0.answers.append(error != nil) }
                passAnswers(to: log)
            }
            if error == nil {
                state.batches.append(Batch(numbers: first...last, begin: begin, lost: lost))
                state.ends.append(events)
            } else {
                refuse(begin...last, in: &state)
            }
            defer { state.isWaiting = true }
            return (!state.isWaiting, error == nil ? [] : events)
        }
        if !refused.isEmpty {
            // It is not in the store, whatever waits before.
            log.forgetOutputs(of: refused)
            passAnswers(to: log)
        }
        if mustWait { wait(log) }
    }

    /// Keeps events that the store has refused until the batch before them is answered.
    private func refuse(_ numbers: ClosedRange<UInt64>, in state: inout State) {
        if let last = state.batches.last?.numbers.upperBound {
            state.refused[last] = state.refused[last]?.joined(numbers) ?? numbers
        } else {
            state.due = state.due?.joined(numbers) ?? numbers
        }
    }

    /// Passes on the store's answers in the order of the log, one thread at a time. Without the lock: the log calls
    /// others.
    private func passAnswers(to log: EventLog) {
        while let answer = state.withLock({ takeAnswer(in: &$0) }) {
            log.written(answer.numbers, isLost: answer.isLost)
            state.withLock { $0.isPassing = false }
        }
    }

    private func takeAnswer(in state: inout State) -> Answer? {
        guard !state.isPassing else { return nil }
        if let due = state.due {
            state.due = nil
            return lose(due, in: &state)
        }
        guard let isLost = state.answers.removeFirst(), let batch = state.batches.removeFirst() else { return nil }
        let last = batch.numbers.upperBound
        state.due = state.refused.removeValue(forKey: last)
        let noted = state.ends.answered(through: last)
        if !noted.isEmpty { store.answered(ends: noted, areLost: isLost) }
        if isLost { return lose(batch.begin...last, in: &state) }
        state.isPassing = true
        written(batch, in: &state)
        return Answer(numbers: batch.numbers, isLost: false)
    }

    private func written(_ batch: Batch, in state: inout State) {
        let last = batch.numbers.upperBound
        state.writtenThrough = max(state.writtenThrough, last)
        if state.lost == batch.lost { state.lost = nil }
        guard state.lost == nil, let noted = state.noted, noted.upperBound <= last else { return }
        state.noted = nil
        store.noteMissing(nil)
    }

    private func lose(_ numbers: ClosedRange<UInt64>, in state: inout State) -> Answer {
        state.isPassing = true
        state.lost = state.lost?.joined(numbers) ?? numbers
        note(numbers, in: &state)
        return Answer(numbers: numbers, isLost: true)
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
                let ends = state.ends.takeUnnoted(through: numbers.upperBound)
                // If the daemon is killed, all events of these executions are lost.
                let first = min(max(numbers.lowerBound, state.writtenThrough + 1), ends?.begin ?? .max)
                note(first...numbers.upperBound, in: &state)
                if let ends { store.note(ends: ends.ids) }
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
            for (execution, output) in log.update({ $0.takeChangedOutputs() }) {
                store.keep(output, of: execution.id)
            }
        }
    }

    /// Events of these kinds up to this one are beyond the retention, of some names of the source.
    func trimmedThrough(_ source: EventSource, _ kinds: EventKinds) -> UInt64 {
        store.marks.last(of: source.parts(kinds))
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

    /// Looks up a place in the log. `completion` is called once, on a queue of the store.
    func place(
        _ lookup: LogLookup, for user: UInt32?, completion: @escaping @Sendable (Result<LogPlace?, StoreError>) -> Void
    ) { store.place(lookup, for: user, completion: completion) }

    /// Goes on with a search for the newest events of names. `completion` is called once, on a queue of the store.
    func search(
        _ search: NewestEvents, for user: UInt32?,
        completion: @escaping @Sendable (Result<NewestEvents, StoreError>) -> Void
    ) { store.search(search, for: user, completion: completion) }

    /// Reserves numbers for further events.
    func reserve(through number: UInt64, for log: EventLog) {
        store.reserveNumbers(through: number) { [weak log] error in
            if error == nil { log?.reserve(through: number) }
        }
    }
}
