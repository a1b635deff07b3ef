internal import RxRecords

/// How the writes of a log follow each other. Its owner's lock is held from the decision until the write is pending, so
/// that writes are pending in the order of their revisions.
struct LogState {
    var persistence = ReactorPersistence()
    var hasBegun = false
    var progress: LogProgress
    /// The completions that wait for a pending snapshot.
    var covered = CoveredSteps()

    init(progress: LogProgress) { self.progress = progress }

    enum Appended {
        /// The completion is called later.
        case later
        case now(StoreError?)
        /// Steps before it are missing.
        case refused(StoreError)
    }

    /// Has a step written, or finds out why it need not or cannot be.
    mutating func append(
        _ step: KeptStep, of log: ReactorLog, to writes: WriteQueue<ReactorWriter>,
        _ completion: @escaping @Sendable (StoreError?) -> Void
    ) -> Appended {
        let waits = persistence.durability == .sync || writes.isCrowded
        let isSynced = persistence.durability == .sync
        switch progress.coverage(of: step.revision, isSynced: isSynced) {
        case .stored: return .now(nil)
        case .pending:
            guard waits else { return .now(nil) }
            covered.wait(for: step.revision, isSynced: isSynced, completion)
            return .later
        case .none: break
        }
        if let refusal = progress.append(bytes: step.textBytes) {
            progress.refuse(step.revision)
            return .refused(refusal)
        }
        let failure = writes.add(
            ReactorWrite(
                log: log, change: .step(step), bounds: KeptLog.Bounds(persistence), durability: persistence.durability,
                bytes: step.waitingBytes, completion: waits ? completion : nil), endsRefused: false)
        if let failure {
            progress.stepFailed(step.revision, failure)
            return .now(failure)
        }
        return waits ? .later : .now(nil)
    }

    /// Has a snapshot written. One that bridges a loss is urgent, and is on the disk when it is committed: dispatches
    /// wait for it.
    mutating func add(
        _ snapshot: ReactorWrite.Snapshot, of log: ReactorLog, to writes: WriteQueue<ReactorWriter>,
        _ completion: (@Sendable (StoreError?) -> Void)?
    ) {
        var snapshot = snapshot
        snapshot.isBridge = progress.hasLoss
        if snapshot.isBridge { snapshot.replaces = nil }
        let durability = snapshot.isBridge ? .sync : persistence.durability
        progress.snapshot(at: snapshot.revision, isSynced: durability == .sync)
        // An estimate: the length of the last one. The real length is known when it is text.
        writes.add(
            ReactorWrite(
                log: log, change: .snapshot(snapshot), bounds: KeptLog.Bounds(persistence), durability: durability,
                bytes: progress.stateBytes + ReactorWrite.overhead, completion: completion))
    }

    /// - Returns: the completions to be called, with their results.
    mutating func ended(
        _ write: ReactorWrite, _ failure: StoreError?
    ) -> [(CoveredSteps.Completion, StoreError?)] {
        var result = failure
        switch write.change {
        case .step(let step):
            guard let failure else { break }
            let coverage = progress.coverage(of: step.revision, isSynced: write.isSynced)
            progress.stepFailed(step.revision, failure)
            switch coverage {
            case .none: break
            case .stored: result = nil
            case .pending:
                if let completion = write.completion {
                    covered.wait(for: step.revision, isSynced: write.isSynced, completion)
                }
                return []
            }
        case .snapshot(let snapshot):
            progress.snapshotEnded(snapshot.revision, failure)
            let ended = covered.ended(
                LogProgress.Snapshot(revision: snapshot.revision, isSynced: write.isSynced), failure,
                next: progress.pending)
            return (write.completion.map { [($0, failure)] } ?? []) + ended
        }
        return write.completion.map { [($0, result)] } ?? []
    }
}
