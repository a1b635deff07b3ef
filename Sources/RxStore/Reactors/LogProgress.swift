/// Whether a log has every step so far, and when it is time for a snapshot.
struct LogProgress {
    /// A snapshot costs as much as its state is long, and saves as much reading at start as the steps since the last
    /// one: with as many bytes of both, neither is more than twice what must be. But never for less than this,
    static let leastBytes = 64 << 10
    /// and always after so many steps: a start takes about a millisecond for 200 of them.
    static let mostSteps = 10_000
    /// After a failure nothing is tried for so long: a state is large, and the disk is full for longer than that.
    static let retryDelay = Duration.seconds(1)

    private struct Trouble {
        let error: StoreError
        let until: ContinuousClock.Instant
    }

    private let retryDelay: Duration
    /// Since the last snapshot that was asked for.
    private var steps = 0
    private var bytes = 0
    /// Of the state, when it was last written or read.
    private(set) var stateBytes = 0
    /// Steps are missing: none is taken.
    private var behind: Trouble?
    /// The revision of a snapshot that is on its way.
    private var pending: UInt64?
    /// What failed up to here is made up for.
    private var bridged: UInt64?
    /// Whether steps are missing before `pending`.
    private var isBridge = false
    /// A snapshot that was not needed yet has failed.
    private var postponed: ContinuousClock.Instant?

    /// - Parameter isKept: whether there is a snapshot; steps can only follow one.
    init(of reactor: String, isKept: Bool, retryDelay: Duration) {
        self.retryDelay = retryDelay
        guard !isKept else { return }
        behind = Trouble(error: .outOfOrder(reactor: reactor, revision: nil, newest: nil), until: .now)
    }

    /// Whether the log lacks what has been told.
    var isBehind: Bool { behind != nil || (pending != nil && isBridge) }

    var needsSnapshot: Bool {
        guard pending == nil else { return false }
        if let behind { return behind.until <= .now }
        guard steps >= Self.mostSteps || bytes >= max(stateBytes, Self.leastBytes) else { return false }
        return postponed.map { $0 <= .now } ?? true
    }

    /// - Returns: why the step cannot be taken.
    mutating func append(bytes: Int) -> StoreError? {
        if let behind { return behind.error }
        steps += 1
        self.bytes += bytes
        return nil
    }

    /// What there is since the newest snapshot.
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
            // What came behind the one that failed, which had the reason.
            self.behind = Trouble(error: behind.error, until: .now + retryDelay)
        } else {
            behind = Trouble(error: error, until: .now + retryDelay)
        }
    }

    /// A snapshot is on its way. From here on steps are taken that follow it.
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
        let until = ContinuousClock.now + retryDelay
        if isBridge {
            behind = Trouble(error: failure, until: until)
        } else {
            postponed = until
            steps = Self.mostSteps
        }
    }
}
