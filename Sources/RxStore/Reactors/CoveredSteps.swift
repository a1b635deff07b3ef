/// Completions of steps that are not stored themselves, and that wait for a snapshot of a later state.
struct CoveredSteps {
    typealias Completion = @Sendable (StoreError?) -> Void

    private var waiting: [(revision: UInt64, isSynced: Bool, completion: Completion)] = []

    /// Keeps the completion of a step until a snapshot of its revision, or of a later one, has ended.
    mutating func wait(for revision: UInt64, isSynced: Bool, _ completion: @escaping Completion) {
        waiting.append((revision, isSynced, completion))
    }

    /// A snapshot is stored, or has failed. Those that a later one covers as well wait for that if it has failed.
    ///
    /// - Returns: the completions to be called, with their results.
    mutating func ended(
        _ snapshot: LogProgress.Snapshot, _ failure: StoreError?, next: LogProgress.Snapshot?
    ) -> [(completion: Completion, failure: StoreError?)] {
        guard !waiting.isEmpty else { return [] }
        var ended: [(Completion, StoreError?)] = []
        waiting.removeAll { revision, isSynced, completion in
            if failure == nil {
                guard snapshot.has(revision, isSynced: isSynced) else { return false }
            } else if revision > snapshot.revision || next?.has(revision, isSynced: isSynced) == true {
                return false
            }
            ended.append((completion, failure))
            return true
        }
        return ended
    }
}
