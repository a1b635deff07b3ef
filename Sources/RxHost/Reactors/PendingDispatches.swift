internal import RxJSON
internal import RxRecords
internal import RxStore

/// An action on its way to the engine of a reactor.
struct ReactorDispatch {
    let input: ReactorInput
    let completion: @Sendable (Result<UInt64, DispatchRefusal>) -> Void
}

/// The dispatches of a reactor that are not answered yet, those among them that wait for a revision to be stored, and
/// whether the reactor has to go back because one could not be. Used with the event log's lock held.
struct PendingDispatches {
    private var unanswered = UnansweredDispatches()
    /// Whether no more are admitted.
    private(set) var isStopping = false
    private(set) var steps = UnsettledSteps()
    /// Why the reactor has to go back: a dispatch could not be stored. The first reason counts.
    private(set) var loss: StoreError?
    /// Why it has gone back the last time.
    private var lastLoss: StoreError?
    /// Dispatches that wait for a revision to be stored, in the order of these revisions.
    private var waiting: [Answer] = []
    /// Dispatches that fail as soon as the reactor has gone back.
    private var failing: [ReactorDispatch] = []

    /// A dispatch, and the revision that its mutations are part of.
    struct Answer {
        let revision: UInt64
        let dispatch: ReactorDispatch
    }

    /// Admits a dispatch, which has to be answered; or returns why not.
    mutating func admit(_ input: ReactorInput, isHostStopping: Bool) -> DispatchRefusal? {
        guard !isStopping, !isHostStopping else { return .stopping }
        return unanswered.admit(input)
    }

    /// A dispatch is answered. Mutations that it has led to stay, also if they cannot be stored.
    mutating func answered(_ input: ReactorInput) {
        input.isAnswered = true
        steps.end(input.newestStep)
        unanswered.answered(input)
    }

    /// Admits no more.
    mutating func stop() { isStopping = true }

    // MARK: Storing

    /// The reactor begins with this state, which is the one without the dispatches that fail if it had to go back.
    ///
    /// - Returns: the dispatches that fail, and why.
    mutating func begin(with state: any ReactorState, at revision: UInt64) -> (failed: [ReactorDispatch], StoreError)? {
        defer { steps.begin(with: state, at: revision) }
        guard let loss else { return nil }
        for input in steps.unsettledInputs { input.isUndone = true }
        lastLoss = loss
        let failed = failing + waiting.map(\.dispatch)
        self.loss = nil
        (failing, waiting) = ([], [])
        return (failed, loss)
    }

    /// A mutation was reduced. See `UnsettledSteps.append`.
    mutating func reduced(_ input: ReactorInput?, _ patch: JSONPatch?, _ state: any ReactorState, isStored: Bool) {
        steps.append(input, patch, state, isStored: isStored)
    }

    /// A step is stored, or is not.
    ///
    /// - Returns: the dispatches that need not wait any longer, and whether the reactor has to go back and did not have
    ///   to before.
    mutating func stored(_ revision: UInt64, _ error: StoreError?) -> (answers: [Answer], goesBack: Bool) {
        if let error, steps.isAwaited(revision) {
            defer { loss = loss ?? error }
            return ([], loss == nil)
        }
        steps.stored(revision)
        let count = waiting.prefix { $0.revision <= steps.storedThrough }.count
        defer { waiting.removeFirst(count) }
        return (Array(waiting.prefix(count)), false)
    }

    enum End {
        /// Its mutations are part of this revision, and are stored.
        case stored(UInt64)
        case waits
        /// Its engine reports its end after the reactor has gone back.
        case undone(StoreError)
    }

    /// All mutations of a dispatch are reduced. It waits for its own mutations to be stored, or, if it has none, for
    /// the state that it saw.
    mutating func ended(_ dispatch: ReactorDispatch, at newest: UInt64) -> End {
        if dispatch.input.isUndone, let lastLoss { return .undone(lastLoss) }
        let own = dispatch.input.newestStep
        steps.end(own)
        let revision = own > 0 ? own : newest
        guard steps.storedThrough < revision else { return .stored(revision) }
        let place = waiting.lastIndex { $0.revision <= revision }.map { $0 + 1 } ?? 0
        waiting.insert(Answer(revision: revision, dispatch: dispatch), at: place)
        return .waits
    }

    /// A dispatch that its engine could not end because the reactor goes back.
    ///
    /// - Returns: whether it is answered when that is done; otherwise, it is done already.
    mutating func failsWhenBack(_ dispatch: ReactorDispatch) -> Bool {
        guard loss != nil else { return false }
        failing.append(dispatch)
        return true
    }
}
