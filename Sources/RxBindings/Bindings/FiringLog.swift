internal import Rx
internal import RxAction
internal import RxHost
internal import RxJSON
internal import RxPlatform
internal import RxRecords
internal import RxStore
internal import RxStreams
internal import RxTime

/// The firings of one `on`: numbers, publishes, and stores them; and the last values of a level that the `on` took.
// Unchecked: `memory` belongs to the stream's turn; the rest is constant or locked.
final class FiringLog: @unchecked Sendable {
    private let owner: String
    private let target: BindingDefinition.Target
    private let secrets: TargetSecrets
    private let host: Host
    private let output: StreamOutput
    private let storage: StreamStorage
    private let writes: FiringWrites
    private let history: Locked<FiringHistory>
    private let hasEnded = Locked(false)
    private var memory: LevelMemory

    /// - Parameters:
    ///   - owner: the owner of the rows; see `owner(_:_:)`.
    ///   - stored: what an earlier run of the `on` has stored.
    init(
        _ owner: String, _ target: BindingDefinition.Target, _ level: LevelKind, stored: [String: RawJSON], host: Host,
        output: StreamOutput, storage: StreamStorage, writes: FiringWrites
    ) {
        self.owner = owner
        self.target = target
        secrets = TargetSecrets(target: target, host: host)
        self.host = host
        self.output = output
        self.storage = storage
        self.writes = writes
        history = Locked(FiringHistory(stored: stored))
        memory = LevelMemory(level, owner: owner, stored: stored)
    }

    /// The owner of the rows of an `on`.
    static func owner(_ stream: String, _ target: BindingDefinition.Target) -> String {
        switch target {
        case .action(let name): "\(stream) action \(name)"
        case .reactor(let name): "\(stream) reactor \(name)"
        }
    }

    // MARK: On any thread

    /// The last firings, oldest first.
    var last: [Firing] { history.withLock { $0.last } }
    /// The firings since the daemon started, by the word for their outcome.
    var counts: [String: Int] { history.withLock { $0.counts } }

    /// An execution that a firing has started has ended.
    func noteEnd(of id: ExecutionID, _ error: ExecutionError?) {
        guard !hasEnded.withLock({ $0 }) else { return }
        let ended = history.withLock { $0.noteEnd(of: id, Firing.end(error)) }
        guard !ended.isEmpty else { return }
        writes.note()
        for firing in ended { output.publish(end: firing) }
    }

    /// Notes the ends of the executions that an earlier run has started: now, or when they come.
    func followEarlier() {
        for id in history.withLock({ $0.unended }) {
            if let execution = host.execution(id) {
                execution.observeEnd { [weak self] error in self?.noteEnd(of: id, error) }
            } else {
                host.store?.record(id) { [weak self] found in
                    guard case .success(let record?) = found, record.state.isFinal else { return }
                    self?.noteEnd(of: id, record.error)
                }
            }
        }
    }

    /// A successor has the firings.
    func end() { hasEnded.withLock { $0 = true } }

    /// An element is not owed any more.
    func forget(_ receipt: OwedElement.Receipt) { storage.store(OwedFirings.rows(of: receipt, owner)) }

    // MARK: In the stream's turn

    /// Whether the `on` took this value of a level last.
    func hasTaken(_ element: StreamElement) -> Bool { memory.has(element) }

    /// The `on` is done with an element.
    func noteTaken(_ element: StreamElement) { storage.store(memory.take(element, isSecret: secrets.mayExist)) }

    /// The `on` is not done with an element after all.
    func noteReturned(_ element: StreamElement) { storage.store(memory.forget(element)) }

    /// Makes the rows of the transaction that accepts an execution; nil if nothing is claimed.
    func claim(_ item: OwedElement, input: RawJSON) -> (@Sendable (ExecutionRecord) -> [StreamRow])? {
        guard storage.owes else { return nil }
        let number = history.withLock { $0.number } + 1
        return { [self] record in
            let acceptance: Firing.Acceptance = record.startedAt == nil ? .queued : .started
            return rows(of: made(number, item.element, input, .accepted(acceptance, record.id)), item)
        }
    }

    /// A firing: the next one.
    ///
    /// - Parameters:
    ///   - end: how the execution has ended, if it has; see `Firing.end`.
    ///   - isClaimed: whether the transaction that accepted the execution has its rows.
    func record(
        _ item: OwedElement, input: RawJSON?, _ outcome: Firing.Outcome, end: String? = nil,
        isClaimed: Bool = false
    ) {
        let firing = history.withLock { history in
            var firing = made(history.number + 1, item.element, input, outcome)
            firing.end = end
            history.append(firing)
            return firing
        }
        if !isClaimed, storage.owes { storage.store(rows(of: firing, item)) }
        writes.note()
        output.publish(firing)
    }

    /// The rows of the firings that are out of date.
    func takeRows() -> [StreamRow] { history.withLock { $0.takeRows(of: owner) } }

    /// All that is stored, for a successor.
    var allRows: [StreamRow] { history.withLock { $0.rows(of: owner) } + memory.rows }

    /// The rows of firings that are not owed any more.
    func rows(of receipts: [OwedElement.Receipt]) -> [StreamRow] {
        receipts.flatMap { OwedFirings.rows(of: $0, owner) }
    }

    private func made(
        _ number: Int, _ element: StreamElement, _ input: RawJSON?, _ outcome: Firing.Outcome
    ) -> Firing {
        Firing(
            number: number, time: host.platform.wallClock.milliseconds, target: target.name,
            input: input.flatMap { $0.utf8.count <= Firing.inputBytes ? secrets.redacting($0) : nil },
            scheduled: element.origin?.scheduled.map(TimeText.utc), outcome: outcome)
    }

    private func rows(of firing: Firing, _ item: OwedElement) -> [StreamRow] {
        let row = StreamRow(stream: owner, name: FiringHistory.row(firing.number), value: RawJSON(firing.stored))
        return [row] + OwedFirings.rows(of: item.receipt, owner)
    }
}
