internal import Synchronization

// Sendable: data used by other threads (posted work, owner, counter, thread) is atomic or locked; the rest belongs to
// the loop's thread, which debug builds check.
/// Descriptors and timers served by one thread. A turn waits, serves what is ready and what was posted for a few
/// milliseconds, one share after another, fires timers, handles the end of the turn, and does idle work.
public final class EventLoop: @unchecked Sendable {
    /// Most bytes read from a source in one turn, so that a flood of input delays the others only briefly.
    package static let readBufferSize = 65_536
    /// Most batches of events taken from the kernel in one turn.
    private static let batchesPerTurn = 16
    /// Nanoseconds for which the loop gives its core away before idle work that was postponed. Whoever was answered
    /// often waits on that core, and needs it for microseconds.
    static let pauseBeforeIdleWork: UInt64 = 50_000
    /// Readable bytes after `readBufferSize`: simdjson reads that far ahead.
    package static let linePadding = 64

    let kernel: LoopKernel
    /// Shared by all sources; valid until the next read.
    package let readBuffer: UnsafeMutableRawBufferPointer
    // Used only on the loop's thread, in accesses that call nothing, so dynamic exclusivity checks are off.
    @exclusivity(unchecked) var table = SourceTable<LoopSource>()
    @exclusivity(unchecked) var timers = TimerHeap<Timer>()
    /// Sources whose descriptors the kernel refuses because they never block: regular files, /dev/null.
    @exclusivity(unchecked) var alwaysReady: [LoopSource] = []

    private let posted: PostedWork
    /// The share of sources and posted closures that have no other.
    package let ownShare = LoopShare()
    @exclusivity(unchecked) var ring = ShareRing()
    /// The share that is being served, which is not in the ring meanwhile.
    @exclusivity(unchecked) private var served: LoopShare?
    @exclusivity(unchecked) private var budget = TurnBudget(from: 0)
    @exclusivity(unchecked) private var timersSet: UInt64 = 0
    @exclusivity(unchecked) private var turnEnds = TurnEndList()
    @exclusivity(unchecked) private var turnEndsRunning: [any TurnEnd] = []
    @exclusivity(unchecked) private var idleWork = IdleWorkList()
    @exclusivity(unchecked) private var idleWorkRunning: [any IdleWork] = []
    @exclusivity(unchecked) private var isStopping = false
    private let turnCount = Atomic<UInt64>(0)
    private let owner = Atomic<UInt>(0)

    /// Creates a loop that does not run yet.
    ///
    /// - Throws: the error of creating the epoll set or the eventfd.
    public convenience init() throws(SystemCallError) {
        self.init(kernel: try EpollKernel())
    }

    /// Creates a loop that does not run yet and that uses nothing of the outside world but `kernel`.
    package init(kernel: LoopKernel) {
        self.kernel = kernel
        posted = PostedWork(kernel)
        readBuffer = .allocate(byteCount: Self.readBufferSize + Self.linePadding, alignment: 64)
        readBuffer.initializeMemory(as: UInt8.self, repeating: 0)
    }

    deinit { readBuffer.deallocate() }

    // MARK: Running

    /// Runs the loop on a new thread named `name` (15 bytes are kept), which inherits the caller's signal mask. Traps
    /// if the process cannot create a thread.
    public func start(name: String) {
        kernel.startThread(name: name) { self.run() }
    }

    /// Runs the loop on the calling thread until `stop`.
    public func run() {
        enter()
        while !isStopping { turn(waitingAtMost: nil) }
        isStopping = false
        leave()
    }

    /// Takes one turn on the calling thread, for a program that shares the thread between the loop and other work. The
    /// turn waits as the kernel does; a simulated one need not wait. Returns false after `stop`.
    @discardableResult
    package func takeTurn() -> Bool {
        enter()
        turn(waitingAtMost: nil)
        defer { isStopping = false }
        leave()
        return !isStopping
    }

    private func enter() {
        let entered = owner.compareExchange(
            expected: 0, desired: LoopThread.current, ordering: .acquiringAndReleasing)
        precondition(entered.exchanged, "an EventLoop runs on one thread at a time")
    }

    private func leave() { owner.store(0, ordering: .releasing) }

    /// Ends `run` after the turn that calls everything executed before. Any thread. Open sources stay open.
    public func stop() {
        execute { self.isStopping = true }
    }

    /// Waits until the thread created by `start` has ended; returns at once if there is none. Do not call it on the
    /// loop's thread.
    public func join() {
        precondition(!isOnLoop, "a loop cannot wait for its own end")
        kernel.joinThread()
    }

    /// Whether the caller is on the thread that runs the loop now.
    public var isOnLoop: Bool { owner.load(ordering: .acquiring) == LoopThread.current }

    /// The number of turns since the loop was created. It does not change while the loop sleeps or hangs, so a watchdog
    /// posts a body and checks whether the number grows.
    public var turns: UInt64 { turnCount.load(ordering: .relaxed) }

    // MARK: Work for the loop

    /// Calls `body` on the loop's thread after everything executed before it. Any thread, including the loop's own, on
    /// which it runs in the next turn at the latest. Bodies that wait when the loop stops run if it runs again.
    public func execute(_ body: @escaping @Sendable () -> Void) {
        posted.post(body, to: ownShare)
    }

    /// Calls `body` on the loop's thread after everything executed before it in the same share. Any thread.
    public func execute(in share: LoopShare, _ body: @escaping @Sendable () -> Void) {
        posted.post(body, to: share)
    }

    /// Calls `body` once after `delay` on the monotonic clock, never earlier. Loop thread only.
    @discardableResult
    public func schedule(after delay: Duration, _ body: @escaping () -> Void) -> Timer {
        checkThread()
        let (deadline, overflow) = kernel.now.addingReportingOverflow(delay.nanosecondsRoundedUp)
        timersSet += 1
        let timer = Timer(loop: self, deadline: overflow ? .max : deadline, order: timersSet, body: body)
        timers.insert(timer)
        return timer
    }

    /// Calls `object.turnEnded()` once at the end of this turn, regardless of the number of requests. A request during
    /// the end of a turn applies to the next one, which follows without waiting. Loop thread only.
    public func flushAtEndOfTurn(_ object: any TurnEnd) {
        checkThread()
        turnEnds.insert(object)
    }

    /// Calls `object.turnEnded()` at the end of this turn once per request; for an object that avoids duplicates
    /// itself. Loop thread only.
    public func appendToEndOfTurn(_ object: any TurnEnd) {
        checkThread()
        turnEnds.append(object)
    }

    /// Calls `object.workWhenIdle()` once per request: at the end of this turn if no object has a `turnEnded` in it,
    /// otherwise at the end of the next one, whatever happens there. Loop thread only.
    public func appendToIdleWork(_ object: any IdleWork) {
        checkThread()
        idleWork.append(object)
    }

    /// Calls `source.attended()` when it is the source's turn, without waiting. Loop thread only.
    package func attend(_ source: LoopSource) {
        source.enqueueAttended()
    }

    /// Reports work. Loop thread only.
    ///
    /// - Parameter cost: the work, in units of `TurnBudget`.
    package func spend(_ cost: Int) { budget.add(cost) }

    /// Reports work that may have taken longer than a small request: the clock is read before the turn goes on. Loop
    /// thread only.
    package func spendLong() { budget.add(TurnBudget.unitsPerReading) }

    /// Reports work of something that has more to do. Loop thread only.
    ///
    /// - Parameter cost: the work since the last report, in units of `TurnBudget`.
    /// - Returns: whether the rest should be done later, because the turn has to end.
    package func isTurnOver(after cost: Int = 0) -> Bool { budget.spend(cost, kernel) }

    /// Whether other work waits that is as urgent as the one that is done now. Loop thread only.
    package var hasOthersWaiting: Bool { !ring.isEmpty || served?.hasWork == true }

    /// Checks the calling thread: the loop's, or any while the loop does not run.
    @inline(__always)
    package func checkThread() {
        assert(isOnLoop || owner.load(ordering: .acquiring) == 0, "used outside the loop's thread")
    }

    // MARK: One turn

    func turn(waitingAtMost limit: UInt64?) {
        var count = kernel.wait(nanoseconds: timeToWait(limit))
        turnCount.wrappingAdd(1, ordering: .relaxed)
        // The one reading of a turn with little to do: what is served first counts too.
        budget = TurnBudget(from: kernel.now)
        enqueueSources(count)
        // One batch must not hide who else is ready.
        var batches = 1
        while count == LoopKernel.mostEvents, batches < Self.batchesPerTurn {
            count = kernel.wait(nanoseconds: 0)
            enqueueSources(count)
            batches += 1
        }
        posted.collect { ring.insert($0) }
        serveShares()
        serveAlwaysReady()
        fireTimers()
        let isAnswering = !turnEnds.isEmpty
        endTurn()
        if !idleWork.isEmpty { work(after: isAnswering) }
    }

    /// The time until the next timer in nanoseconds; negative for no limit.
    private func timeToWait(_ limit: UInt64?) -> Int64 {
        if !ring.isEmpty || !turnEnds.isEmpty { return 0 }
        if !idleWork.isEmpty, !idleWork.isPostponed { return 0 }
        if alwaysReady.contains(where: { !$0.requestedInterest.isEmpty }) { return 0 }
        guard posted.mayFallAsleep() else { return 0 }
        var time = limit ?? .max
        if idleWork.isPostponed { time = min(time, Self.pauseBeforeIdleWork) }
        if let next = timers.first {
            let now = kernel.now
            time = min(time, next.deadline > now ? next.deadline - now : 0)
        }
        return Int64(exactly: time) ?? -1
    }

    private func enqueueSources(_ count: Int) {
        for index in 0..<count {
            let (key, readiness) = kernel.event(at: index)
            // No source for the key: the wake-up, or a descriptor closed in the meantime.
            table.source(for: key)?.enqueue(readiness)
        }
    }

    /// Serves the shares in turn until none has work or the turn has to end.
    private func serveShares() {
        defer { served = nil }
        while let share = ring.popFirst() {
            served = share
            let isOver = share.serveNext { budget.spend($0, kernel) }
            if share.hasWork { ring.insert(share) }
            if isOver { return }
        }
    }

    private func serveAlwaysReady() {
        guard !alwaysReady.isEmpty else { return }
        for source in alwaysReady where !source.requestedInterest.isEmpty {
            source.ready(Readiness(source.requestedInterest))
        }
    }

    /// Fires the timers that are due, for as long as a turn may take; the others are due in the next turn.
    private func fireTimers() {
        // Not read again: a timer that is due by now is the next turn's, which follows without waiting, and one that is
        // set by one of these is due later, so this loop ends.
        let now = budget.now
        guard let first = timers.first, first.deadline <= now else { return }
        var ownBudget = TurnBudget(from: kernel.now)
        while let body = timers.removeDue(at: now) {
            body()
            if ownBudget.spend(TurnBudget.unitsPerReading, kernel) { return }
        }
    }

    private func endTurn() {
        guard !turnEnds.isEmpty else { return }
        turnEnds.take(into: &turnEndsRunning)
        var index = 0
        while index < turnEndsRunning.count {
            turnEndsRunning[index].turnEnded()
            index += 1
        }
        // One by one, which costs less than `removeAll`: mostly there is one.
        while turnEndsRunning.popLast() != nil {}
    }

    /// Does idle work for as long as a turn may take; the rest is for the next turn.
    ///
    /// - Parameter isAnswering: whether this turn has answered others, who go first, once.
    private func work(after isAnswering: Bool) {
        if isAnswering, idleWork.postpone() { return }
        idleWork.take(into: &idleWorkRunning)
        var budget = TurnBudget(from: kernel.now)
        var index = 0
        while index < idleWorkRunning.count {
            idleWorkRunning[index].workWhenIdle()
            index += 1
            if budget.spend(TurnBudget.unitsPerReading, kernel) { break }
        }
        idleWork.putBack(idleWorkRunning[index...])
        idleWorkRunning.removeAll(keepingCapacity: true)
    }
}

// Sendable: everything here belongs to the loop's thread; the reference itself may travel.
/// A pending call of a closure. Created by `EventLoop.schedule`.
public final class Timer: HeapTimer, @unchecked Sendable {
    let deadline: UInt64
    let order: UInt64
    var body: (() -> Void)?
    var position: Int?
    private let loop: EventLoop

    init(loop: EventLoop, deadline: UInt64, order: UInt64, body: @escaping () -> Void) {
        self.loop = loop
        self.deadline = deadline
        self.order = order
        self.body = body
    }

    /// Prevents the call and releases the closure at once. Does nothing after the call. O(log n). Loop thread only.
    public func cancel() {
        loop.checkThread()
        // Released here, at the end of the access to the heap.
        _ = loop.timers.remove(self)
    }
}
