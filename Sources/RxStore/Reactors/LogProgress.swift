internal import RxPlatform

/// Tracks whether a log has every step so far, and when a snapshot is due.
struct LogProgress {
    /// The fewest bytes of steps between two snapshots. Above it, a snapshot is due when the steps since the last one
    /// have as many bytes as the state: writing snapshots and reading steps at the next start then cost at most twice
    /// the optimum.
    static let leastBytes = 64 << 10
    /// The most steps between two snapshots: a start takes about a millisecond for 200 of them.
    static let mostSteps = 10_000
    /// The pause after a failed snapshot: a state is large, and a full disk stays full for longer than that.
    static let retryDelay = Duration.seconds(1)

    private struct Trouble {
        let error: StoreError
        /// When a snapshot may be tried again, by the clock.
        let until: Duration
    }

    private let retryDelay: Duration
    private let clock: MonotonicClock
    /// Steps since the last snapshot that was requested.
    private var steps = 0
    private var bytes = 0
    /// The bytes of the state when it was last written or read.
    private(set) var stateBytes = 0
    /// Whether steps are missing, so that no further one is accepted.
    private var behind: Trouble?
    /// The newest snapshot that is pending.
    private(set) var pending: Snapshot?
    /// Losses up to here are bridged by a snapshot.
    private var bridged: Snapshot?
    /// The newest step that was not accepted.
    private var refused: UInt64 = 0
    /// Whether steps are missing before `pending`.
    private var isBridge = false
    /// Whether there is no snapshot, and none was requested.
    private var isNew: Bool
    /// Whether `pending` is the first.
    private var isFirst = false
    /// Whether a snapshot failed that was not needed yet.
    private var postponed: Duration?

    /// A whole state that is stored, or is to be.
    struct Snapshot {
        let revision: UInt64
        /// Whether it is on the disk as soon as it is committed.
        let isSynced: Bool

        func has(_ revision: UInt64, isSynced: Bool) -> Bool {
            revision <= self.revision && (self.isSynced || !isSynced)
        }
    }

    /// Whether a snapshot has the state of a step that is not stored itself.
    enum Coverage {
        case none
        /// It is stored with the snapshot that is pending.
        case pending
        case stored
    }

    /// - Parameter isKept: whether there is a snapshot; steps can only follow one.
    init(of reactor: String, isKept: Bool, retryDelay: Duration, clock: MonotonicClock) {
        self.retryDelay = retryDelay
        self.clock = clock
        isNew = !isKept
        guard !isKept else { return }
        behind = Trouble(error: .outOfOrder(reactor: reactor, revision: nil, newest: nil), until: clock.now)
    }

    /// Whether the log lacks published steps.
    var isBehind: Bool { behind != nil || (pending != nil && isBridge) }

    /// Whether steps are missing and no snapshot with them is pending.
    var needsBridge: Bool { behind != nil }
    /// Whether steps were lost; otherwise, a log that is behind only begins.
    var hasLoss: Bool { isBehind && !isNew && !isFirst }

    /// Whether a step after `revision` was not accepted, so that no snapshot of `revision` bridges the loss.
    func isPassed(_ revision: UInt64) -> Bool { refused > revision }

    var needsSnapshot: Bool {
        guard pending == nil else { return false }
        if let behind { return behind.until <= clock.now }
        guard steps >= Self.mostSteps || bytes >= max(stateBytes, Self.leastBytes) else { return false }
        return postponed.map { $0 <= clock.now } ?? true
    }

    /// - Returns: why the step cannot be accepted; nil if it is.
    mutating func append(bytes: Int) -> StoreError? {
        if let behind { return behind.error }
        steps += 1
        self.bytes += bytes
        return nil
    }

    /// The stored steps since the newest snapshot.
    struct Found: Equatable {
        var steps = 0
        var bytes = 0
        var stateBytes: Int
    }

    mutating func restored(_ found: Found) {
        (steps, bytes, stateBytes) = (found.steps, found.bytes, found.stateBytes)
    }

    /// The snapshot that has the state of a step, as durably as the step was to be stored.
    func coverage(of revision: UInt64, isSynced: Bool) -> Coverage {
        if let bridged, bridged.has(revision, isSynced: isSynced) { return .stored }
        if let pending, pending.has(revision, isSynced: isSynced) { return .pending }
        return .none
    }

    /// A step was not accepted.
    mutating func refuse(_ revision: UInt64) { refused = max(refused, revision) }

    mutating func stepFailed(_ revision: UInt64, _ error: StoreError) {
        refuse(revision)
        if let bridged, revision <= bridged.revision { return }
        if let pending, revision <= pending.revision {
            isBridge = true
        } else if let behind, case .outOfOrder = error {
            // A later step than the one that failed, which has the cause.
            self.behind = Trouble(error: behind.error, until: clock.now + retryDelay)
        } else {
            behind = Trouble(error: error, until: clock.now + retryDelay)
        }
    }

    /// A snapshot is pending. From here on, steps that follow it are accepted.
    mutating func snapshot(at revision: UInt64, isSynced: Bool = false) {
        isBridge = isBehind
        behind = nil
        (isFirst, isNew) = (isNew, false)
        pending = Snapshot(revision: revision, isSynced: isSynced)
        postponed = nil
        (steps, bytes) = (0, 0)
    }

    mutating func measured(stateBytes: Int) { self.stateBytes = stateBytes }

    mutating func snapshotEnded(_ revision: UInt64, _ failure: StoreError?) {
        guard let ended = pending, ended.revision == revision else { return }
        pending = nil
        isFirst = false
        guard let failure else {
            bridged = ended
            return
        }
        let until = clock.now + retryDelay
        if isBridge {
            behind = Trouble(error: failure, until: until)
        } else {
            postponed = until
            steps = Self.mostSteps
        }
    }
}
