internal import Rx
internal import RxHost
internal import RxLoop

/// The requests of one user whose answers are long. While much is charged to the user, a request waits as it came,
/// because its answer would cost memory that nobody frees. Used on the loop.
///
/// An answer reserves its expected length from the begin of the work to the time when the outbox is charged with it.
/// One that turns out longer, and has no room for that, is dropped and made again. One that is longer than what it
/// counts for is made alone: several at a time would have much more memory than they reserve. Requests begin in their
/// order, but while a large answer waits for room, others go past it: as many as `limit` bytes hold, so that neither
/// waits for the other without end.
final class LongAnswers {
    /// An answer counts for this part of the limit at most, and is large if it counts for more than the other.
    private static let (mostPart, largePart) = (4, 8)

    private struct Waiting {
        let bytes: Int
        let begin: () -> Void
        let refuse: () -> Void
        var timer: Timer
    }

    private let limit: Int
    private let held: HeldBytes
    private let memory: UserMemory
    private let patience: Duration
    private let loop: EventLoop
    private let share: LoopShare
    private var inProgress = 0
    private var reserved = 0
    /// Whether an answer is being made that is longer than what it counts for.
    private var isMakingOversized = false
    private var waiting: [UInt64: Waiting] = [:]
    /// What waits, in its order; and what was refused, until it is first.
    private var (small, large) = (Queue<UInt64>(), Queue<UInt64>())
    /// Bytes that went past the first large answer.
    private var overtaken = 0
    private var lastToken: UInt64 = 0
    private var willBegin = false
    /// How often a request has begun.
    private var beginnings: UInt64 = 0
    /// What waits for the user's peers.
    @exclusivity(unchecked) var outboundBytes = 0 {
        didSet { if outboundBytes < oldValue { lookAgain() } }
    }

    /// - Parameters:
    ///   - limit: the most bytes that are charged or reserved before requests wait.
    ///   - patience: a request is refused when none of the user's has begun for so long.
    init(
        limit: Int, _ held: HeldBytes, _ memory: UserMemory, patience: Duration, loop: EventLoop, share: LoopShare
    ) {
        self.limit = limit
        self.held = held
        self.memory = memory
        self.patience = patience
        self.loop = loop
        self.share = share
    }

    /// Requests that wait for room.
    var count: Int { waiting.count }

    /// Bytes that are reserved for answers in the making.
    var reservedBytes: Int { reserved }

    /// Whether none waits or is being made.
    var isIdle: Bool { inProgress == 0 && waiting.isEmpty }

    /// What an answer of so many bytes counts for. A longer one must find room too once the others are read, beside
    /// what the account keeps, which is half of the limit at most.
    private func cost(of bytes: Int) -> Int { min(bytes, limit / Self.mostPart) }

    private func isOversized(_ bytes: Int) -> Bool { bytes > cost(of: bytes) }

    /// - Parameter reserved: what is reserved for the answer already.
    private func hasRoom(_ bytes: Int, without reserved: Int = 0) -> Bool {
        if isMakingOversized, isOversized(bytes) { return false }
        return outboundBytes + memory.bytes + held.count + self.reserved - reserved + cost(of: bytes) <= limit
    }

    /// Whether an answer of so many bytes may begin now.
    func hasRoom(for bytes: Int) -> Bool { waiting.isEmpty && hasRoom(bytes) }

    /// Calls `begin` when there is room for an answer of about `bytes`, or `refuse` if there is none for too long.
    /// After `begin`, `end` must be called once with the same number.
    func whenRoom(_ bytes: Int, _ begin: @escaping () -> Void, refuse: @escaping () -> Void) {
        guard !hasRoom(for: bytes) else { return self.begin(bytes, begin) }
        lastToken += 1
        let token = lastToken
        waiting[token] = Waiting(bytes: bytes, begin: begin, refuse: refuse, timer: schedule(token))
        if cost(of: bytes) > limit / Self.largePart { large.append(token) } else { small.append(token) }
        memory.awaitRoom()
        if hasRoom(bytes) { beginSoon() }
    }

    private func begin(_ bytes: Int, _ body: () -> Void) {
        inProgress += 1
        reserved += cost(of: bytes)
        isMakingOversized = isMakingOversized || isOversized(bytes)
        beginnings &+= 1
        body()
    }

    /// An answer of so many bytes, for which there is room, begins; `end` must be called once with the same number.
    func begin(_ bytes: Int) { begin(bytes) {} }

    private func schedule(_ token: UInt64) -> Timer {
        let before = beginnings
        return loop.schedule(after: patience) { [self] in
            // What other threads have dropped nobody reports: there may be room by now.
            let hasRoom = waiting[token].map { self.hasRoom($0.bytes) } == true
            if hasRoom { lookAgain() }
            guard beginnings == before, !hasRoom else {
                waiting[token]?.timer = schedule(token)
                return
            }
            let refused = waiting.removeValue(forKey: token)
            overtaken = 0
            lookAgain()
            refused?.refuse()
        }
    }

    /// An answer in the making is longer than expected.
    ///
    /// - Returns: whether there is room for that, and it is reserved; `end` must then be called with `longer`. Whether
    ///   others wait does not matter: this one has begun.
    func extend(_ bytes: Int, to longer: Int) -> Bool {
        let before = cost(of: bytes)
        guard cost(of: longer) > before || isOversized(longer) && !isOversized(bytes) else { return true }
        guard hasRoom(longer, without: before) else { return false }
        reserved += cost(of: longer) - before
        isMakingOversized = isMakingOversized || isOversized(longer)
        return true
    }

    /// The outbox is charged with an answer, or there is none.
    func end(_ bytes: Int) {
        inProgress -= 1
        reserved -= cost(of: bytes)
        if isOversized(bytes) { isMakingOversized = false }
        lookAgain()
    }

    /// There may be more room than before.
    func lookAgain() {
        if !waiting.isEmpty { beginSoon() }
    }

    private func beginSoon() {
        guard !willBegin else { return }
        willBegin = true
        loop.execute(in: share) { [self = LoopConfined(self)] in
            self.value.willBegin = false
            self.value.memory.awaitRoom()
            while let next = self.value.takeNext() {
                next.timer.cancel()
                self.value.begin(next.bytes, next.begin)
                self.value.loop.spendLong()
                if self.value.loop.isTurnOver() { return self.value.lookAgain() }
            }
        }
    }

    /// Takes out the request that may begin now; nil if there is none.
    private func takeNext() -> Waiting? {
        let nextSmall = first(of: &small)
        guard let nextLarge = first(of: &large) else {
            overtaken = 0
            return nextSmall.flatMap { take($0, from: &small) }
        }
        if let nextSmall, nextSmall < nextLarge { return take(nextSmall, from: &small) }
        if let next = take(nextLarge, from: &large) {
            overtaken = 0
            return next
        }
        guard let nextSmall, overtaken <= limit, let next = take(nextSmall, from: &small) else { return nil }
        overtaken += cost(of: next.bytes)
        return next
    }

    /// The first request that still waits.
    private func first(of queue: inout Queue<UInt64>) -> UInt64? {
        while let token = queue.first {
            if waiting[token] != nil { return token }
            queue.removeFirst()
        }
        return nil
    }

    /// Takes a request out if there is room for it.
    private func take(_ token: UInt64, from queue: inout Queue<UInt64>) -> Waiting? {
        guard let next = waiting[token], hasRoom(next.bytes) else { return nil }
        queue.removeFirst()
        return waiting.removeValue(forKey: token)
    }
}
