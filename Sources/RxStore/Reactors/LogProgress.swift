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
    /// The revision of a snapshot that is pending.
    private var pending: UInt64?
    /// Losses up to here are bridged by a snapshot.
    private var bridged: UInt64?
    /// Whether steps are missing before `pending`.
    private var isBridge = false
    /// Whether a snapshot failed that was not needed yet.
    private var postponed: Duration?

    /// - Parameter isKept: whether there is a snapshot; steps can only follow one.
    init(of reactor: String, isKept: Bool, retryDelay: Duration, clock: MonotonicClock) {
        self.retryDelay = retryDelay
        self.clock = clock
        guard !isKept else { return }
        behind = Trouble(error: .outOfOrder(reactor: reactor, revision: nil, newest: nil), until: clock.now)
    }

    /// Whether the log lacks published steps.
    var isBehind: Bool { behind != nil || (pending != nil && isBridge) }

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

    mutating func stepFailed(_ revision: UInt64, _ error: StoreError) {
        if let bridged, revision <= bridged { return }
        if let pending, revision <= pending {
            isBridge = true
        } else if let behind, case .outOfOrder = error {
            // A later step than the one that failed, which has the cause.
            self.behind = Trouble(error: behind.error, until: clock.now + retryDelay)
        } else {
            behind = Trouble(error: error, until: clock.now + retryDelay)
        }
    }

    /// A snapshot is pending. From here on, steps that follow it are accepted.
    mutating func snapshot(at revision: UInt64) {
        isBridge = isBehind
        behind = nil
        pending = revision
        postponed = nil
        (steps, bytes) = (0, 0)
    }

    mutating func measured(stateBytes: Int) { self.stateBytes = stateBytes }

    mutating func snapshotEnded(_ revision: UInt64, _ failure: StoreError?) {
        guard pending == revision else { return }
        pending = nil
        guard let failure else {
            bridged = revision
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
