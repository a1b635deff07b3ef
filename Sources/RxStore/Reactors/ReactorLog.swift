internal import RxPlatform
public import RxRecords
internal import Rx
internal import RxJSON

/// The stored log of one reactor.
///
/// Steps and snapshots are added one at a time, in the order of their revisions. The first is a snapshot.
public final class ReactorLog: Sendable {
    /// The name of the reactor.
    public let reactor: String
    private let writes: WriteQueue<ReactorWriter>
    private let reads: ReadQueue<StateReader>
    private let state: Locked<State>

    private struct State {
        var persistence = ReactorPersistence()
        var hasBegun = false
        var progress: LogProgress
    }

    init(
        of reactor: String, isKept: Bool, retryDelay: Duration, clock: MonotonicClock,
        writes: WriteQueue<ReactorWriter>, reads: ReadQueue<StateReader>
    ) {
        self.reactor = reactor
        self.writes = writes
        self.reads = reads
        state = Locked(
            State(progress: LogProgress(of: reactor, isKept: isKept, retryDelay: retryDelay, clock: clock)))
    }

    /// How the steps are stored; may change between steps. Once the reactor has begun, what is beyond a lower bound is
    /// removed soon.
    public var persistence: ReactorPersistence {
        get { state.withLock { $0.persistence } }
        set {
            let hasBegun = state.withLock { state in
                state.persistence = newValue
                return state.hasBegun
            }
            if hasBegun { bound(newValue) }
        }
    }

    /// The reactor has its state, and its log is not read as a whole any more. Until then, or the first write, nothing
    /// is removed from it.
    package func begin() {
        let persistence = state.withLock { state in
            state.hasBegun = true
            return state.persistence
        }
        bound(persistence)
    }

    /// Keeps the whole log until `begin`.
    func hold() {
        state.withLock { $0.hasBegun = false }
        writes.tune { [reactor] writer in writer.hold(reactor) }
    }

    private func bound(_ persistence: ReactorPersistence) {
        writes.tune { [reactor] writer in writer.bound(reactor, persistence) }
    }

    // MARK: Writing

    /// Adds a step.
    ///
    /// - Parameters:
    ///   - step: the step; its revision is the newest revision plus one.
    ///   - completion: called once, with the error if the step is not stored. At `sync`, on a queue of the store when
    ///     the step is on the disk. At `normal` and `off`, before this returns, when the step is pending: at `normal`
    ///     it is written at once, in a transaction with all pending writes; at `off` about a second later. If much is
    ///     pending, it is called when the step is written, so that callers that wait for it are no faster than the
    ///     disk.
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
                log: self, change: .step(step), persistence: persistence, bytes: step.waitingBytes,
                completion: waits ? completion : nil))
        if let failure { ended(.step(step), failure) }
        if !waits { completion(failure) }
    }

    /// Whether a snapshot is due: there are many steps since the last one, or some were lost, or there is none yet. To
    /// be read after each step.
    public var needsSnapshot: Bool { state.withLock { $0.progress.needsSnapshot } }

    /// Whether steps were lost and no snapshot has bridged the loss yet. At the end, a last snapshot is worth trying
    /// then, whatever `needsSnapshot` is.
    public var isBehind: Bool { state.withLock { $0.progress.isBehind } }

    /// Stores a whole state: of the newest step, or, if steps were lost, of a later revision. In that case the history
    /// has a step `.replaced(.loss)` for it.
    ///
    /// - Parameters:
    ///   - state: the whole state.
    ///   - revision: the revision of the state.
    ///   - time: milliseconds since 1970.
    ///   - fingerprint: the fingerprint of the reactor's definition.
    ///   - completion: called once, on a queue of the store, when the snapshot is committed (at `sync`, on the disk),
    ///     or with the error.
    public func snapshot(
        _ state: any ReactorState, revision: UInt64, time: Int64, fingerprint: String,
        completion: (@Sendable (StoreError?) -> Void)? = nil
    ) {
        add(
            ReactorWrite.Snapshot(
                revision: revision, time: time, fingerprint: fingerprint, state: state, replaces: nil), completion)
    }

    /// Replaces the newest state because the reactor's definition has changed. The history keeps the earlier revisions,
    /// and has a step `.replaced(.definition)` for this one.
    ///
    /// - Parameters:
    ///   - state: the whole state.
    ///   - revision: the newest revision plus one.
    ///   - time: milliseconds since 1970.
    ///   - fingerprint: the fingerprint of the reactor's definition.
    ///   - completion: called once, on a queue of the store, when the state is committed (at `sync`, on the disk), or
    ///     with the error.
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
        // An estimate: the length of the last one. The real length is known when it is text.
        writes.add(
            ReactorWrite(
                log: self, change: .snapshot(snapshot), persistence: persistence,
                bytes: bytes + ReactorWrite.overhead, completion: completion))
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

    /// Returns when all pending writes are written, so that reads include the last steps of an earlier reactor of this
    /// name.
    package func flush() { writes.flush() }

    /// Reads what an earlier daemon stored; nil if nothing. Waits for the disk.
    public func kept() throws(StoreError) -> KeptReactor? {
        try reads.wait { reader throws(StoreError) in try reader.kept(reactor) }
    }

    /// Reads the newest state; nil if nothing is stored. Waits for the disk. To be called before the first step.
    ///
    /// Throws `.damaged` if a step is missing or cannot be read or applied.
    public func restore() throws(StoreError) -> KeptState? {
        let restored = try reads.wait { reader throws(StoreError) in try reader.newestState(of: reactor) }
        guard let (kept, progress) = restored else { return nil }
        state.withLock { $0.progress.restored(progress) }
        return kept
    }

    /// Calls `body` with the steps after a revision, one after another, until it returns false. Waits for the disk.
    /// The steps are read in portions: other reads come between them, and do not wait for `body`.
    ///
    /// Throws `.damaged` if a step is missing or cannot be read.
    public func forEachStep(after revision: UInt64, _ body: (KeptStep) -> Bool) throws(StoreError) {
        var (last, hasMore) = (revision, true)
        while hasMore {
            let portion = try reads.wait { [last] reader throws(StoreError) in
                try reader.portion(of: reactor, after: last)
            }
            for step in portion.steps {
                guard body(step) else { return }
                last = step.revision
            }
            hasMore = portion.hasMore
        }
    }

    /// The newest snapshot that is not after a revision. Waits for the disk.
    package func base(at revision: UInt64) throws(StoreError) -> KeptSnapshot? {
        try reads.wait { reader throws(StoreError) in try reader.base(of: reactor, atOrBefore: revision) }
    }

    // MARK: Reading, while steps come

    /// Reads the newest `limit` steps before a revision.
    ///
    /// - Parameters:
    ///   - revision: the first revision that is not read; nil for the newest steps.
    ///   - limit: the most steps to read.
    ///   - completion: called once, on a queue of the store.
    public func history(
        before revision: UInt64? = nil, limit: Int,
        completion: @escaping @Sendable (Result<ReactorPage, StoreError>) -> Void
    ) {
        reads.add(completion) { [reactor] reader throws(StoreError) in
            try reader.history(of: reactor, before: revision, limit: limit)
        }
    }

    /// Reads the first steps of these revisions, as many as are read at once.
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
