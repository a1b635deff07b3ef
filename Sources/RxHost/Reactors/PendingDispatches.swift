internal import RxStore

/// An action on its way to the engine of a reactor.
struct ReactorDispatch {
    let input: ReactorInput
    /// The revision when it came.
    let since: UInt64
    let completion: @Sendable (Result<UInt64, DispatchRefusal>) -> Void
}

/// The dispatches of a reactor that are not answered yet, and those among them that wait for a revision to be stored.
/// Used with the event log's lock held.
struct PendingDispatches {
    private var unanswered = UnansweredDispatches()
    /// Whether no more are admitted.
    private(set) var isStopping = false
    /// All revisions up to here are stored, or are lost.
    private var storedThrough: UInt64 = 0
    /// The newest revision that was lost, and why.
    private var lost: (revision: UInt64, error: StoreError)?
    /// Dispatches that wait for a revision to be stored, in order.
    private var waiting: [(revision: UInt64, answer: @Sendable () -> Void)] = []

    /// Admits a dispatch, which has to be answered; or returns why not.
    mutating func admit(_ input: ReactorInput, isHostStopping: Bool) -> DispatchRefusal? {
        guard !isStopping, !isHostStopping else { return .stopping }
        return unanswered.admit(input)
    }

    /// A dispatch is answered.
    mutating func answered(_ input: ReactorInput) { unanswered.answered(input) }

    /// Admits no more.
    mutating func stop() { isStopping = true }

    // MARK: Storing

    /// The reactor begins with this revision, which need not be waited for.
    mutating func begin(at revision: UInt64) { storedThrough = revision }

    /// - Returns: whether `answer` is kept until `revision` is stored; otherwise it is.
    mutating func wait(for revision: UInt64, _ answer: @escaping @Sendable () -> Void) -> Bool {
        guard storedThrough < revision else { return false }
        waiting.append((revision, answer))
        return true
    }

    /// The store has a revision, or has lost it.
    ///
    /// - Returns: the answers that need not wait any longer.
    mutating func stored(_ revision: UInt64, _ error: StoreError?) -> [@Sendable () -> Void] {
        storedThrough = max(storedThrough, revision)
        if let error { lost = (revision, error) }
        let count = waiting.prefix { $0.revision <= storedThrough }.count
        defer { waiting.removeFirst(count) }
        return waiting.prefix(count).map(\.answer)
    }

    /// Why a revision after `since` was lost, if one was.
    func loss(since: UInt64) -> StoreError? {
        guard let lost, lost.revision > since else { return nil }
        return lost.error
    }
}
