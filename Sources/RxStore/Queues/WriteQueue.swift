internal import Rx
internal import RxAction
internal import RxPlatform

/// Collects pending writes, commits them as a group in the order of their calls, and then calls their completions.
// Unchecked: `writer`, `file`, `held`, `isEnding`, and `isLogStuck` are used on `queue` only; the rest is constant or
// locked.
final class WriteQueue<Writer: GroupWriter>: @unchecked Sendable {
    let queue: WorkQueue
    /// Calls the completions of writes that were refused.
    let refusals: WorkQueue
    private(set) var writer: Writer?
    private var file: DatabaseFile?
    private let waiting: Locked<WaitingWrites<Writer.Item>>
    private let losses = Locked(WriteLosses())
    private var held = HeldWrites<Writer.Item>()
    /// Whether only `close` tries again what is held.
    private var isEnding = false
    /// Whether the last attempt to move the log failed; that is reported once.
    private var isLogStuck = false
    private let probes = ProgressProbes()
    private let clock: WallClock
    private let onFailure: @Sendable (StoreError) -> Void
    private let writesPerCommit: Int

    /// - Parameters:
    ///   - limit: the approximate number of bytes that may be pending.
    ///   - writesPerCommit: the most writes in a group.
    init(
        _ writer: Writer, _ file: DatabaseFile, limit: Int, writesPerCommit: Int = StoreLimits.writesPerCommit,
        platform: Platform,
        onFailure: @escaping @Sendable (StoreError) -> Void
    ) {
        self.writer = writer
        self.file = file
        self.writesPerCommit = writesPerCommit
        clock = platform.wallClock
        queue = platform.queues.serial("rxd.store.writes")
        refusals = platform.queues.serial("rxd.store.refusals")
        self.onFailure = onFailure
        waiting = Locked(WaitingWrites(limit: limit))
        queue.async { self.tidy() }
    }

    var lost: Int { losses.withLock { $0.total } }

    /// Counts a write that is impossible because one before it was lost.
    func lostMore() { losses.withLock { $0.lostMore() } }

    /// Whether so much is pending that callers should slow down.
    var isCrowded: Bool { waiting.withLock { $0.isCrowded } }

    /// Adds a write.
    ///
    /// - Parameter endsRefused: whether a write that is refused is ended with the error.
    /// - Returns: the error if it is refused.
    @discardableResult
    func add(_ write: Writer.Item, endsRefused: Bool = true) -> StoreError? {
        switch waiting.withLock({ $0.add(write) }) {
        case .admitted: break
        case .first: queue.async { self.drain() }
        case .firstLater:
            queue.async(after: .milliseconds(StoreLimits.moment)) { self.drain() }
        case .refused(let error):
            // Counted at once, so that further losses belong to the same report.
            let report = losses.withLock { $0.lost(1, error) }
            refusals.async {
                if let report { self.onFailure(report) }
                if endsRefused { write.end(error) }
            }
            return error
        }
        return nil
    }

    /// The ends of these executions were refused.
    func refused(_ ends: [ExecutionID]) { waiting.withLock { $0.refused(ends) } }

    /// Changes how the writer works, and removes what is beyond the retention then.
    func tune(_ change: @escaping @Sendable (Writer) -> Void) {
        queue.async { [self] in
            guard let writer else { return }
            change(writer)
            tidy()
        }
    }

    /// Calls `answer` from the queue, with its next progress.
    func probe(_ answer: @escaping @Sendable () -> Void) {
        probes.add(answer)
        queue.async { [probes] in probes.answer() }
    }

    /// Returns when all pending writes are written. Not to be called on a queue of the store.
    func flush() {
        queue.sync { drain() }
    }

    /// Tries all pending writes, but nothing that is held, which only `close` tries again from now on.
    ///
    /// - Parameter completion: called from the queue when each pending write is written, held, or lost.
    func settle(_ completion: @escaping @Sendable () -> Void) {
        queue.async { [self] in
            isEnding = true
            drain()
            completion()
        }
    }

    /// Writes all pending writes and refuses further ones. Not to be called on a queue of the store.
    ///
    /// - Parameters:
    ///   - isWhole: whether the file has no damage that is known.
    ///   - onLast: called after the last write, while the file is still locked.
    func close(isWhole: Bool = true, onLast: () -> Void = {}) {
        waiting.withLock { $0.close() }
        queue.sync {
            drain()
            if let writer { retryHeld(with: writer) }
            for write in held.takeAll() { end(write, .closed) }
            writer?.finish()
            onLast()
            writer = nil
            file?.close(isWhole: isWhole)
            file = nil
        }
    }

    /// Writes until nothing is pending.
    private func drain() {
        while let writer {
            let (refusedEnds, writes) = waiting.withLock { ($0.takeRefusedEnds(), $0.take()) }
            var rest = writes[...]
            while !rest.isEmpty {
                write(rest.prefix(writesPerCommit), with: writer)
                rest = rest.dropFirst(writesPerCommit)
            }
            if !refusedEnds.isEmpty { writer.refused(refusedEnds) }
            guard !writes.isEmpty else { break }
        }
        tidy()
    }

    private func write(_ group: ArraySlice<Writer.Item>, with writer: Writer) {
        let group = held.isEmpty ? group : held.letPass(group)
        guard !group.isEmpty else { return }
        let (failed, works) = attempt(group, with: writer)
        held.add(failed)
        if works, !isEnding { retryHeld(with: writer) }
        scheduleRetry()
        // After the completions, so that no caller waits for it.
        moveLog(writer)
        probes.answer()
    }

    /// Writes a group, and ends its writes but for the patient ones that have to wait.
    ///
    /// - Returns: those, and whether the file can be written.
    private func attempt(
        _ group: ArraySlice<Writer.Item>, with writer: Writer
    ) -> (failed: [Writer.Item], works: Bool) {
        let failures = writer.write(group, at: clock.milliseconds)
        var failed: [Writer.Item] = []
        var ended: [(Writer.Item, StoreError?)] = []
        for (write, failure) in zip(group, failures) {
            if let failure, write.isPatient, !failure.concernsOneWrite {
                failed.append(write)
            } else {
                ended.append((write, failure))
            }
        }
        waiting.withLock { $0.written(ended.lazy.map(\.0)) }
        if let failure = failures.lazy.compactMap(\.self).first {
            report { $0.lost(ended.count { $0.1 != nil }, failure) }
        } else if held.isEmpty {
            // Otherwise what is held may still fail, which is reported already.
            report { $0.written() }
        }
        for (write, failure) in ended { write.end(failure) }
        return (failed, !failures.contains { $0?.concernsOneWrite == false })
    }

    /// Tries again what could not be written, until an attempt fails.
    private func retryHeld(with writer: Writer) {
        while !held.isEmpty {
            let (group, revoked) = held.take(writesPerCommit)
            for write in revoked { end(write, .closed) }
            let failed = group.isEmpty ? [] : attempt(group[...], with: writer).failed
            held.putBack(failed)
            guard failed.isEmpty else { break }
        }
    }

    private func scheduleRetry() {
        guard !isEnding, held.needsTimer() else { return }
        queue.async(after: .milliseconds(StoreLimits.retry)) { [self] in
            held.timerFired()
            guard let writer, !isEnding else { return }
            retryHeld(with: writer)
            scheduleRetry()
            moveLog(writer)
        }
    }

    private func end(_ write: Writer.Item, _ error: StoreError) {
        waiting.withLock { $0.written(CollectionOfOne(write)) }
        write.end(error)
    }

    /// Removes a portion of the rows beyond the retention, and continues after the pending writes.
    private func tidy() {
        // An error here makes a write fail too, which reports it.
        guard let writer, (try? writer.trim(at: clock.milliseconds)) == true else { return }
        moveLog(writer)
        queue.async { self.tidy() }
    }

    private func moveLog(_ writer: Writer) {
        do throws(StoreError) {
            try writer.checkpointIfNeeded()
            isLogStuck = false
        } catch {
            // Nothing is lost: the log keeps everything, and grows.
            if !isLogStuck { onFailure(error) }
            isLogStuck = true
        }
    }

    private func report(_ change: (inout WriteLosses) -> StoreError?) {
        if let loss = losses.withLock(change) { onFailure(loss) }
    }
}
