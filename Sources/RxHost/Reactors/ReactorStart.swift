internal import RxStore
internal import RxRecords
internal import RxAction
internal import RxJSON

/// Starts the engine of a reactor from the state that is stored of it, and has its steps stored from then on.
struct ReactorStart {
    private let reactor: HostedReactor
    private let definition: ReactorDefinition

    init(_ reactor: HostedReactor, as definition: ReactorDefinition) {
        self.reactor = reactor
        self.definition = definition
    }

    private var store: StateStore? { reactor.services.stateStore }

    /// Starts where an earlier daemon stopped, if the reactor persists.
    func start() throws(ReactorFault) {
        guard let persistence = definition.persistence, let store else {
            return try reactor.start(as: definition)
        }
        let kept = store.log(of: reactor.name, persistence)
        kept.flush()
        guard let found = try reading(kept.kept) else {
            return try reactor.start(as: definition) { begin($0, 0, kept) }
        }
        if found.snapshot.fingerprint != definition.fingerprint, persistence.onChange == .replay {
            return try startReplaying(kept, found)
        }
        guard let restored = try reading(kept.restore) else { return try reactor.start(as: definition) }
        let state = restored.value
        if found.snapshot.fingerprint == definition.fingerprint {
            try reactor.start(from: state, revision: found.revision, as: definition) { _ in reactor.keptLog = kept }
        } else {
            try startChanged(from: state, revision: found.revision, kept)
        }
    }

    /// Starts from the state of an engine of another definition, which has stopped, or by a replay if that is what the
    /// new definition is configured to do.
    func goOn(from state: JSONValue, revision: UInt64) throws(ReactorFault) {
        guard let persistence = definition.persistence, let store else {
            return try reactor.start(from: state, revision: revision + 1, as: definition) { _ in reactor.keptLog = nil }
        }
        let kept = store.log(of: reactor.name, persistence)
        guard reactor.keptLog == nil else {
            // What could not be stored cannot be replayed.
            guard persistence.onChange == .replay, reactor.loss == nil, let found = try reading(kept.kept) else {
                return try startChanged(from: state, revision: revision, kept)
            }
            return try startReplaying(kept, found)
        }
        // Stored from here on, after the steps that were stored before the reactor stopped to persist.
        kept.flush()
        if let found = try reading(kept.kept) {
            // The steps in between were never stored: for the log they are lost, and a replay may not go across them.
            let next = max(revision, found.revision) + 1
            try reactor.start(from: state, revision: next, as: definition) { begin($0, next, kept) }
        } else {
            try reactor.start(from: state, revision: revision, as: definition) { begin($0, revision, kept) }
        }
    }

    /// Starts from an earlier state than that of `revision`, which the engine before has left, because the steps in
    /// between could not be stored.
    func goBack(to state: JSONValue, after revision: UInt64) throws(ReactorFault) {
        try reactor.start(from: state, revision: revision + 1, as: definition) { state in
            reactor.keptLog?.snapshot(
                state, revision: revision + 1, time: reactor.services.time, fingerprint: definition.fingerprint)
        }
    }

    /// Begins a log that has no snapshot of this state yet.
    private func begin(_ state: any ReactorState, _ revision: UInt64, _ kept: ReactorLog) {
        kept.snapshot(
            state, revision: revision, time: reactor.services.time, fingerprint: definition.fingerprint)
        reactor.keptLog = kept
    }

    /// Goes on from a state that another definition made, at a revision of its own, so that the history shows the
    /// break.
    private func startChanged(
        from state: JSONValue, revision: UInt64, _ kept: ReactorLog
    ) throws(ReactorFault) {
        try reactor.start(from: state, revision: revision + 1, as: definition) { state in
            reactor.keptLog = kept
            kept.replace(
                with: state, revision: revision + 1, time: reactor.services.time, fingerprint: definition.fingerprint)
        }
    }

    /// Starts by reducing the stored mutations again.
    private func startReplaying(_ kept: ReactorLog, _ found: KeptReactor) throws(ReactorFault) {
        var oldest = found.oldest
        while true {
            let engine = definition.makeEngine()
            let outlet = reactor.makeOutlet()
            let base = try reading { () throws(StoreError) in try kept.base(at: oldest) }
            // The initial state is the new reactor's own.
            let initial = try engine.start(from: oldest == 0 ? nil : base?.state.value(), outlet: outlet)
            outlet.beginReplay()
            switch replay(kept, after: oldest, with: engine) {
            case .all:
                return replace(
                    with: outlet.endReplay() ?? initial, revision: found.revision + 1, kept, engine, outlet)
            case .lost(let revision):
                // Lost mutations cannot be reduced again: go on from the state after them.
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

    private func replay(_ kept: ReactorLog, after oldest: UInt64, with engine: any ReactorEngine) -> Replayed {
        var replayed = Replayed.all
        do throws(ReactorFault) {
            try reading { () throws(StoreError) in
                try kept.forEachStep(after: oldest) { step in
                    guard let end = replay(step, with: engine) else { return true }
                    replayed = end
                    return false
                }
            }
        } catch {
            return .failed(error)
        }
        return replayed
    }

    /// - Returns: how the replay ends with this step; nil if the next one is to follow.
    private func replay(_ step: KeptStep, with engine: any ReactorEngine) -> Replayed? {
        guard !reactor.log.isStopping else { return .failed(ReactorFault(.stopped, "the daemon is stopping")) }
        switch step.change {
        case .replaced(.loss): return .lost(step.revision)
        case .replaced(.definition): return nil
        case .reduced(let reduction):
            do throws(ReactorFault) {
                try engine.replay(reduction.mutation)
                return nil
            } catch {
                var fault = error
                fault.message =
                    "the mutation of revision \(step.revision) cannot be replayed (\(error.message)); "
                    + "on-change = \"keep\" keeps the state as it is"
                return .failed(fault)
            }
        }
    }

    private func replace(
        with state: any ReactorState, revision: UInt64, _ kept: ReactorLog, _ engine: any ReactorEngine,
        _ outlet: Outlet
    ) {
        reactor.keptLog = kept
        kept.replace(
            with: state, revision: revision, time: reactor.services.time, fingerprint: definition.fingerprint)
        reactor.begin(engine, outlet, as: definition, with: state, revision: revision)
    }

    private func reading<R>(_ body: () throws(StoreError) -> R) throws(ReactorFault) -> R {
        do throws(StoreError) {
            return try body()
        } catch {
            throw ReactorFault(.restore, error.description)
        }
    }
}
