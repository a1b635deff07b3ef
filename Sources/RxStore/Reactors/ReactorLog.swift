public import RxRecords
internal import Rx
internal import RxJSON

/// What is kept of one reactor.
///
/// Steps and snapshots are given one at a time, in the order of their revisions. They begin with a snapshot.
public final class ReactorLog: Sendable {
    public let reactor: String
    private let writes: WriteQueue<ReactorWriter>
    private let reads: ReadQueue<StateReader>
    private let state: Locked<State>

    private struct State {
        var persistence = ReactorPersistence()
        var progress: LogProgress
    }

    init(
        of reactor: String, isKept: Bool, retryDelay: Duration, writes: WriteQueue<ReactorWriter>,
        reads: ReadQueue<StateReader>
    ) {
        self.reactor = reactor
        self.writes = writes
        self.reads = reads
        state = Locked(State(progress: LogProgress(of: reactor, isKept: isKept, retryDelay: retryDelay)))
    }

    /// May change while steps come.
    public var persistence: ReactorPersistence {
        get { state.withLock { $0.persistence } }
        set { state.withLock { $0.persistence = newValue } }
    }

    // MARK: Writing

    /// A mutation was reduced.
    ///
    /// - Parameter completion: called once, with the reason if the step is not kept. At `sync` from a queue of the store,
    ///   when the step is on the disk. At `normal` and `off` before this returns, when the step waits to be written: at
    ///   `normal` that is done at once, in a transaction with all that waits; at `off` about a second later. But where
    ///   much waits, it is called when the step is written, so that who waits for it is no faster than the disk.
    public func append(_ step: KeptStep, completion: @escaping @Sendable (StoreError?) -> Void) {
        let (persistence, refusal) = state.withLock { state in
            (state.persistence, state.progress.append(bytes: step.textBytes))
        }
        if let refusal {
            writes.lostMore()
            return completion(refusal)
        }
        let waits = persistence.durability == .sync || writes.isCrowded
        let failure = writes.add(
            ReactorWrite(
                log: self, change: .step(step), history: persistence.history, durability: persistence.durability,
                bytes: step.waitingBytes, completion: waits ? completion : nil))
        if let failure { ended(.step(step), failure) }
        if !waits { completion(failure) }
    }

    /// Whether it is time for a snapshot: steps since the last one are many, or were lost, or there is none yet. To be
    /// asked after each step.
    public var needsSnapshot: Bool { state.withLock { $0.progress.needsSnapshot } }

    /// Whether steps were lost and no snapshot has made up for them yet. To be asked at the end: then a last snapshot is
    /// worth trying, whatever `needsSnapshot` says.
    public var isBehind: Bool { state.withLock { $0.progress.isBehind } }

    /// Keeps a whole state: of the newest step, or, if steps were lost, of a later revision; then the history has a step
    /// `.replaced(.loss)` for it.
    ///
    /// - Parameters:
    ///   - time: milliseconds since 1970.
    ///   - fingerprint: of the reactor's definition.
    ///   - completion: called once from a queue of the store when it is committed, at `sync` on the disk, or with the
    ///     reason why not.
    public func snapshot(
        _ state: any ReactorState, revision: UInt64, time: Int64, fingerprint: String,
        completion: (@Sendable (StoreError?) -> Void)? = nil
    ) {
        add(
            ReactorWrite.Snapshot(
                revision: revision, time: time, fingerprint: fingerprint, state: state, replaces: nil), completion)
    }

    /// Puts a state in the place of the newest one, because the reactor's definition has changed. The history keeps what
    /// was before it, and has a step `.replaced(.definition)` for it.
    ///
    /// - Parameter revision: the newest revision and one.
    public func replace(
        with state: any ReactorState, revision: UInt64, time: Int64, fingerprint: String,
        completion: (@Sendable (StoreError?) -> Void)? = nil
    ) {
        add(
            ReactorWrite.Snapshot(
                revision: revision, time: time, fingerprint: fingerprint, state: state, replaces: .definition),
            completion)
    }

    private func add(_ snapshot: ReactorWrite.Snapshot, _ completion: (@Sendable (StoreError?) -> Void)?) {
        let (persistence, bytes) = state.withLock { state in
            state.progress.snapshot(at: snapshot.revision)
            return (state.persistence, state.progress.stateBytes)
        }
        // About as long as the last one; nobody knows before it is text.
        writes.add(
            ReactorWrite(
                log: self, change: .snapshot(snapshot), history: persistence.history,
                durability: persistence.durability, bytes: bytes + ReactorWrite.overhead, completion: completion))
    }

    /// A snapshot has become text.
    func measured(stateBytes: Int) { state.withLock { $0.progress.measured(stateBytes: stateBytes) } }

    func ended(_ change: ReactorWrite.Change, _ failure: StoreError?) {
        switch change {
        case .step(let step):
            if let failure { state.withLock { $0.progress.stepFailed(step.revision, failure) } }
        case .snapshot(let snapshot):
            state.withLock { $0.progress.snapshotEnded(snapshot.revision, failure) }
        }
    }

    // MARK: At start

    /// Writes what waits to be written, and returns then: so that what is found includes what an earlier reactor of this
    /// name did shortly before.
    package func flush() { writes.flush() }

    /// What an earlier daemon left; nil if nothing. Waits for the disk.
    public func kept() throws(StoreError) -> KeptReactor? {
        try reads.wait { reader throws(StoreError) in try reader.kept(reactor) }
    }

    /// The newest state; nil if nothing is kept. Waits for the disk. To be asked before the first step.
    ///
    /// Throws, if a step is missing or cannot be read or applied, that the file is damaged.
    public func restore() throws(StoreError) -> KeptState? {
        let restored = try reads.wait { reader throws(StoreError) in try reader.newestState(of: reactor) }
        guard let (kept, progress) = restored else { return nil }
        state.withLock { $0.progress.restored(progress) }
        return kept
    }

    /// Gives the steps after a revision to `body`, one after another, until it answers false. Waits for the disk.
    ///
    /// Throws, if a step is missing or cannot be read, that the file is damaged. `body` must not use the store.
    public func forEachStep(after revision: UInt64, _ body: (KeptStep) -> Bool) throws(StoreError) {
        try reads.wait { reader throws(StoreError) in try reader.forEachStep(of: reactor, after: revision, body) }
    }

    /// The newest snapshot that is not after a revision. Waits for the disk.
    package func base(at revision: UInt64) throws(StoreError) -> KeptSnapshot? {
        try reads.wait { reader throws(StoreError) in try reader.base(of: reactor, atOrBefore: revision) }
    }

    // MARK: Reading, while steps come

    /// The newest `limit` steps, of those before a revision.
    ///
    /// - Parameter completion: called from a queue of the store.
    public func history(
        before revision: UInt64? = nil, limit: Int,
        completion: @escaping @Sendable (Result<ReactorPage, StoreError>) -> Void
    ) {
        reads.add(completion) { [reactor] reader throws(StoreError) in
            try reader.history(of: reactor, before: revision, limit: limit)
        }
    }

    /// The steps of these revisions, as many of the first as are read at once.
    public func steps(
        _ revisions: ClosedRange<UInt64>, completion: @escaping @Sendable (Result<ReactorPage, StoreError>) -> Void
    ) {
        reads.add(completion) { [reactor] reader throws(StoreError) in
            try reader.steps(of: reactor, revisions)
        }
    }

    /// The newest snapshot that is not after a revision; nil if there is none.
    public func base(
        atOrBefore revision: UInt64, completion: @escaping @Sendable (Result<KeptSnapshot?, StoreError>) -> Void
    ) {
        reads.add(completion) { [reactor] reader throws(StoreError) in
            (try reader.base(of: reactor, atOrBefore: revision), 0)
        }
    }

    /// The state of a revision; nil if the history does not have it (any more, or yet).
    public func state(
        at revision: UInt64, completion: @escaping @Sendable (Result<KeptState?, StoreError>) -> Void
    ) {
        reads.add(completion) { [reactor] reader throws(StoreError) in
            (try reader.state(of: reactor, at: revision), 0)
        }
    }
}
