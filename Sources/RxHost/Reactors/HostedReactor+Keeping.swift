public import RxStore
internal import RxRecords
internal import Rx
internal import RxAction
public import RxJSON

// A reactor's states in the store: restored at the start, kept step by step.

extension HostedReactor {
    /// Begins where an earlier daemon has stopped, if the reactor persists.
    func startKept(as definition: ReactorDefinition) throws(ReactorFault) {
        guard let persistence = definition.persistence, let store = services.stateStore else {
            return try start(as: definition)
        }
        let kept = store.log(of: name, persistence)
        kept.flush()
        guard let found = try reading(kept.kept) else {
            return try start(as: definition) { begin($0, 0, as: definition, kept) }
        }
        if found.snapshot.fingerprint != definition.fingerprint, persistence.onChange == .replay {
            return try startReplaying(kept, found, as: definition)
        }
        guard let restored = try reading(kept.restore) else { return try start(as: definition) }
        let state = restored.value
        if found.snapshot.fingerprint == definition.fingerprint {
            try start(from: state, revision: found.revision, as: definition) { _ in keptLog = kept }
        } else {
            try startChanged(from: state, revision: found.revision, as: definition, kept)
        }
    }

    /// The engine has been replaced by one of another definition.
    func goOn(from state: JSONValue, revision: UInt64, as definition: ReactorDefinition) throws(ReactorFault) {
        guard let persistence = definition.persistence, let store = services.stateStore else {
            return try start(from: state, revision: revision + 1, as: definition) { _ in keptLog = nil }
        }
        let kept = store.log(of: name, persistence)
        guard keptLog == nil else { return try startChanged(from: state, revision: revision, as: definition, kept) }
        // Kept from here on, and after what was kept before it was not.
        kept.flush()
        if let found = try reading(kept.kept) {
            // What came in between was never kept: for the log it is lost, and a replay may not go across it.
            let next = max(revision, found.revision) + 1
            try start(from: state, revision: next, as: definition) { begin($0, next, as: definition, kept) }
        } else {
            try start(from: state, revision: revision, as: definition) { begin($0, revision, as: definition, kept) }
        }
    }

    /// Nothing is kept of it yet.
    private func begin(
        _ state: any ReactorState, _ revision: UInt64, as definition: ReactorDefinition, _ kept: ReactorLog
    ) {
        kept.snapshot(
            state, revision: revision, time: WallClock.milliseconds, fingerprint: definition.fingerprint)
        keptLog = kept
    }

    /// Goes on from a state that another definition has made: a revision of its own, so that the history shows the break.
    private func startChanged(
        from state: JSONValue, revision: UInt64, as definition: ReactorDefinition, _ kept: ReactorLog
    ) throws(ReactorFault) {
        try start(from: state, revision: revision + 1, as: definition) { state in
            keptLog = kept
            kept.replace(
                with: state, revision: revision + 1, time: WallClock.milliseconds, fingerprint: definition.fingerprint)
        }
    }

    /// Reduces what is kept of the mutations anew.
    private func startReplaying(
        _ kept: ReactorLog, _ found: KeptReactor, as definition: ReactorDefinition
    ) throws(ReactorFault) {
        var oldest = found.oldest
        while true {
            let engine = definition.makeEngine()
            let outlet = Outlet(self)
            let base = try reading { () throws(StoreError) in try kept.base(at: oldest) }
            // The initial state is the new reactor's own.
            let initial = try engine.start(from: oldest == 0 ? nil : base?.state.value(), outlet: outlet)
            outlet.beginReplay()
            switch try replay(kept, after: oldest, with: engine) {
            case .all:
                return replace(
                    with: outlet.endReplay() ?? initial, revision: found.revision + 1, as: definition, kept, engine,
                    outlet)
            case .lost(let revision):
                // What was lost cannot be reduced anew: it goes on from the state after it.
                engine.stop {}
                oldest = revision
            case .failed(let fault):
                engine.stop {}
                throw fault
            }
        }
    }

    private enum Replayed {
        case all
        /// Mutations before this revision are missing.
        case lost(UInt64)
        case failed(ReactorFault)
    }

    private func replay(
        _ kept: ReactorLog, after oldest: UInt64, with engine: any ReactorEngine
    ) throws(ReactorFault) -> Replayed {
        var replayed = Replayed.all
        try reading { () throws(StoreError) in
            try kept.forEachStep(after: oldest) { step in
                switch step.change {
                case .replaced(.loss):
                    replayed = .lost(step.revision)
                    return false
                case .replaced(.definition): return true
                case .reduced(let reduction):
                    do throws(ReactorFault) {
                        try engine.replay(reduction.mutation)
                        return true
                    } catch {
                        var fault = error
                        fault.message =
                            "the mutation of revision \(step.revision) cannot be replayed (\(error.message)); on-change = \"keep\" keeps the state as it is"
                        replayed = .failed(fault)
                        return false
                    }
                }
            }
        }
        return replayed
    }

    private func replace(
        with state: any ReactorState, revision: UInt64, as definition: ReactorDefinition, _ kept: ReactorLog,
        _ engine: any ReactorEngine, _ outlet: Outlet
    ) {
        keptLog = kept
        kept.replace(
            with: state, revision: revision, time: WallClock.milliseconds, fingerprint: definition.fingerprint)
        begin(engine, outlet, with: state, revision: revision)
    }

    private func reading<R>(_ body: () throws(StoreError) -> R) throws(ReactorFault) -> R {
        do throws(StoreError) {
            return try body()
        } catch {
            throw ReactorFault(.restore, error.description)
        }
    }

    // MARK: Steps

    func keep(
        _ step: ReactorStep, _ patch: JSONPatch, _ revision: UInt64, _ start: UInt64?, in kept: ReactorLog,
        at time: Int64
    ) {
        var writer = JSONWriter()
        patch.write(to: &writer)
        var reduction = KeptStep.Reduction(
            by: step.input?.by, action: step.input?.action, mutation: step.mutation(),
            patch: RawJSON(unchecked: writer.bytes))
        reduction.start = start
        kept.append(KeptStep(revision: revision, time: time, .reduced(reduction))) { [self] error in
            let answers = log.update { [self] _ in levels.keeping.ended(revision, error) }
            for answer in answers { answer() }
        }
        if kept.needsSnapshot {
            kept.snapshot(step.state, revision: revision, time: time, fingerprint: definition.fingerprint)
        }
    }

    /// At the end: what could not be kept before may be now.
    func keepLast() {
        guard let kept = keptLog, kept.isBehind else { return }
        let now = now
        kept.snapshot(
            now.state, revision: now.revision, time: WallClock.milliseconds,
            fingerprint: definition.fingerprint)
    }

    // MARK: History

    /// The newest steps before a revision, oldest first; nil for a reactor that keeps none.
    public func history(
        before revision: UInt64? = nil, limit: Int,
        completion: @escaping @Sendable (Result<ReactorPage, StoreError>?) -> Void
    ) {
        guard let kept = keptLog else { return completion(nil) }
        kept.history(before: revision, limit: limit, completion: completion)
    }

    /// The state of a revision; nil if it is not known any more, or not yet.
    public func state(
        at revision: UInt64, completion: @escaping @Sendable (Result<JSONValue?, StoreError>) -> Void
    ) {
        let now = now
        if now.revision == revision { return completion(.success(now.state.tree)) }
        guard let kept = keptLog, revision < now.revision else { return completion(.success(nil)) }
        kept.state(at: revision) { completion($0.map { $0?.value }) }
    }
}
