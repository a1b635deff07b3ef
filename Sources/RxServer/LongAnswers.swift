internal import Rx
internal import RxLoop

/// The requests of one user whose answers are long. While much waits for the user's peers, a request waits as it came,
/// because its answer would cost memory that nobody frees. Used on the loop.
final class LongAnswers {
    /// Bytes that an answer in the making counts for.
    static let bytesReserved = 1 << 20

    private struct Waiting {
        let begin: () -> Void
        let refuse: () -> Void
        let timer: Timer
    }

    private let limit: Int
    private let patience: Duration
    private let loop: EventLoop
    private let share: LoopShare
    private var inProgress = 0
    private var order = Queue<UInt64>()
    private var waiting: [UInt64: Waiting] = [:]
    private var lastToken: UInt64 = 0
    private var willBegin = false
    /// Bytes that wait for the user's peers.
    @exclusivity(unchecked) var outboundBytes = 0 {
        didSet { if outboundBytes < oldValue, !waiting.isEmpty { beginSoon() } }
    }

    /// - Parameters:
    ///   - limit: most bytes that wait for the user or are reserved before requests wait.
    ///   - patience: how long a request waits before it is refused.
    init(limit: Int, patience: Duration, loop: EventLoop, share: LoopShare) {
        self.limit = limit
        self.patience = patience
        self.loop = loop
        self.share = share
    }

    /// Requests that wait for room.
    var count: Int { waiting.count }

    /// Whether none waits or is being made.
    var isIdle: Bool { inProgress == 0 && waiting.isEmpty }

    private var hasRoom: Bool { outboundBytes + inProgress * Self.bytesReserved < limit }

    /// Calls `begin` when there is room for a long answer, or `refuse` if there is none for too long. After `begin`,
    /// `end` must be called once.
    func whenRoom(_ begin: @escaping () -> Void, refuse: @escaping () -> Void) {
        guard !waiting.isEmpty || !hasRoom else {
            inProgress += 1
            return begin()
        }
        lastToken += 1
        let token = lastToken
        let timer = loop.schedule(after: patience) { [self] in giveUp(token) }
        waiting[token] = Waiting(begin: begin, refuse: refuse, timer: timer)
        order.append(token)
    }

    private func giveUp(_ token: UInt64) {
        let refused = waiting.removeValue(forKey: token)
        // The oldest waits longest, so what is refused comes first.
        while let first = order.first, waiting[first] == nil { order.removeFirst() }
        refused?.refuse()
    }

    /// An answer is in the outbox, or there is none.
    func end() {
        inProgress -= 1
        if !waiting.isEmpty { beginSoon() }
    }

    private func beginSoon() {
        guard !willBegin, hasRoom else { return }
        willBegin = true
        loop.execute(in: share) { [self = LoopConfined(self)] in self.value.beginNext() }
    }

    private func beginNext() {
        willBegin = false
        while hasRoom, let token = order.removeFirst() {
            guard let next = waiting.removeValue(forKey: token) else { continue }
            next.timer.cancel()
            inProgress += 1
            next.begin()
        }
    }
}
