internal import RxPlatform
public import RxRecords
internal import Rx
internal import RxJSON

/// The stored log of one reactor.
///
/// Steps and snapshots are added one at a time, in the order of their revisions; `bridge` may come at any time. The
/// first is a snapshot.
public final class ReactorLog: Sendable {
    /// The name of the reactor.
    public let reactor: String
    private let writes: WriteQueue<ReactorWriter>
    private let reads: ReadQueue<StateReader>
    private let state: Locked<LogState>
    /// What it has pending.
    let share = WriteShare()

    init(
        of reactor: String, isKept: Bool, retryDelay: Duration, clock: MonotonicClock,
        writes: WriteQueue<ReactorWriter>, reads: ReadQueue<StateReader>
    ) {
        self.reactor = reactor
        self.writes = writes
        self.reads = reads
        state = Locked(
            LogState(progress: LogProgress(of: reactor, isKept: isKept, retryDelay: retryDelay, clock: clock)))
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
    ///     disk. A step that is not stored itself counts as stored if a snapshot of its revision or a later one is. A
    ///     step that is refused is reported before this returns.
    public func append(_ step: KeptStep, completion: @escaping @Sendable (StoreError?) -> Void) {
        // The lock is held until the write is pending: a bridge may come from another thread.
        let outcome = state.withLock { $0.append(step, of: self, to: writes, completion) }
        switch outcome {
        case .later: break
        case .now(let failure): completion(failure)
        case .refused(let refusal):
            writes.lostMore()
            completion(refusal)
        }
    }

    /// Whether a snapshot is due: there are many steps since the last one, or some were lost, or there is none yet. To
    /// be read after each step.
    public var needsSnapshot: Bool { state.withLock { $0.progress.needsSnapshot } }

    /// Whether the log lacks steps, because they were lost or because it has not begun. At the end, a last snapshot is
    /// worth trying then, whatever `needsSnapshot` is.
    public var isBehind: Bool { state.withLock { $0.progress.isBehind } }

    /// Whether steps were lost and no snapshot has bridged the loss yet. Further steps fail until such a snapshot is
    /// requested.
    package var hasLoss: Bool { state.withLock { $0.progress.hasLoss } }

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
    /// and has a step `.replaced(.definition)` for this one; `.replaced(.loss)` if steps before it were lost.
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

    /// Stores a whole state if steps were lost, so that steps can follow again; or waits for the snapshot that does so
    /// already. Unlike other writes, it does not wait for `retryDelay`, and it is on the disk when it is committed,
    /// whatever `persistence` is.
    ///
    /// - Parameters:
    ///   - state: the whole state.
    ///   - revision: the revision of the state.
    ///   - time: milliseconds since 1970.
    ///   - fingerprint: the fingerprint of the reactor's definition.
    ///   - completion: called once, on any thread, perhaps before this returns: when no step is missing any more, or
    ///     with the error.
    /// - Returns: whether the state is new enough; otherwise nothing is done, and `completion` is not called: later
    ///   steps were lost meanwhile.
    package func bridge(
        _ state: any ReactorState, revision: UInt64, time: Int64, fingerprint: String,
        completion: @escaping @Sendable (StoreError?) -> Void
    ) -> Bool {
        enum Step {
            case ended, later, passed
        }
        let step = self.state.withLock { known -> Step in
            guard known.progress.hasLoss else { return .ended }
            if known.progress.needsBridge {
                if known.progress.isPassed(revision) { return .passed }
                let snapshot = ReactorWrite.Snapshot(
                    revision: revision, time: time, fingerprint: fingerprint, state: state, replaces: nil)
                known.add(snapshot, of: self, to: writes, nil)
            }
            known.covered.wait(for: known.progress.pending?.revision ?? revision, isSynced: false, completion)
            return .later
        }
        switch step {
        case .ended: completion(nil)
        case .later: break
        case .passed: return false
        }
        return true
    }

    private func add(_ snapshot: ReactorWrite.Snapshot, _ completion: (@Sendable (StoreError?) -> Void)?) {
        state.withLock { $0.add(snapshot, of: self, to: writes, completion) }
    }

    /// A snapshot has become text.
    func measured(stateBytes: Int) { state.withLock { $0.progress.measured(stateBytes: stateBytes) } }

    /// A write has ended; calls its completion, and those of the steps that it covers.
    func ended(_ write: ReactorWrite, _ failure: StoreError?) {
        if case .step = write.change, failure == nil {
            write.completion?(nil)
            return
        }
        for (completion, failure) in state.withLock({ $0.ended(write, failure) }) { completion(failure) }
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
    ///   - user: the requesting user, since users are served in turn; nil for the daemon.
    ///   - completion: called once, on a queue of the store.
    public func history(
        before revision: UInt64? = nil, limit: Int, for user: UInt32? = nil,
        completion: @escaping @Sendable (Result<ReactorPage, StoreError>) -> Void
    ) {
        reads.add(for: user, completion) { [reactor] reader throws(StoreError) in
            try reader.history(of: reactor, before: revision, limit: limit)
        }
    }

    /// Reads the first steps of these revisions, as many as are read at once.
    public func steps(
        _ revisions: ClosedRange<UInt64>, completion: @escaping @Sendable (Result<ReactorPage, StoreError>) -> Void
    ) {
        reads.add(for: nil, completion) { [reactor] reader throws(StoreError) in
            try reader.steps(of: reactor, revisions)
        }
    }

    /// The newest snapshot that is not after a revision; nil if there is none.
    public func base(
        atOrBefore revision: UInt64, completion: @escaping @Sendable (Result<KeptSnapshot?, StoreError>) -> Void
    ) {
        reads.add(for: nil, completion) { [reactor] reader throws(StoreError) in
            (try reader.base(of: reactor, atOrBefore: revision), 0)
        }
    }

    /// The state of a revision; nil if the history does not have it (any more, or yet).
    ///
    /// - Parameters:
    ///   - revision: the revision of the state.
    ///   - user: the requesting user; nil for the daemon.
    ///   - completion: called once, on a queue of the store.
    public func state(
        at revision: UInt64, for user: UInt32? = nil,
        completion: @escaping @Sendable (Result<KeptState?, StoreError>) -> Void
    ) {
        reads.add(for: user, completion) { [reactor] reader throws(StoreError) in
            (try reader.state(of: reactor, at: revision), 0)
        }
    }

    /// The bytes that the state of a revision is built from; 0 if the history does not have it (any more, or yet).
    ///
    /// - Parameters:
    ///   - revision: the revision of the state.
    ///   - user: the requesting user; nil for the daemon.
    ///   - completion: called once, on a queue of the store.
    package func stateBytes(
        at revision: UInt64, for user: UInt32? = nil, completion: @escaping @Sendable (Result<Int, StoreError>) -> Void
    ) {
        reads.add(for: user, completion) { [reactor] reader throws(StoreError) in
            (try reader.bytes(of: reactor, at: revision), 0)
        }
    }
}
