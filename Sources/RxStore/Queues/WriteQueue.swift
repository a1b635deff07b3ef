internal import Dispatch
internal import Rx

/// The queue of writes: what waits is written together, in its order, and then told.
// Unchecked: `writer` and `lock` are used on `queue` only; the rest is constant or locked.
final class WriteQueue<Writer: GroupWriter>: @unchecked Sendable {
    let queue = DispatchQueue(label: "rxd.store.writes")
    /// For what is told of writes that `queue` will not come to.
    let refusals = DispatchQueue(label: "rxd.store.refusals")
    private(set) var writer: Writer?
    private var lock: StoreLock?
    private let waiting: Locked<WaitingWrites<Writer.Item>>
    private let losses = Locked(WriteLosses())
    private let now: @Sendable () -> Int64
    private let onFailure: @Sendable (StoreError) -> Void

    /// - Parameter limit: bytes that may wait, about.
    init(
        _ writer: Writer, _ lock: consuming StoreLock, limit: Int, now: @escaping @Sendable () -> Int64,
        onFailure: @escaping @Sendable (StoreError) -> Void
    ) {
        self.writer = writer
        self.lock = consume lock
        self.now = now
        self.onFailure = onFailure
        waiting = Locked(WaitingWrites(limit: limit))
        queue.async { self.tidy() }
    }

    var lost: Int { losses.withLock { $0.total } }

    /// A write that cannot be, since one before it was lost.
    func lostMore() { losses.withLock { $0.lostMore() } }

    /// Whether so much waits that who adds more should wait too.
    var isCrowded: Bool { waiting.withLock { $0.isCrowded } }

    /// - Returns: why it is not taken, if it is not; it is told of that too.
    @discardableResult
    func add(_ write: Writer.Item) -> StoreError? {
        switch waiting.withLock({ $0.add(write) }) {
        case .admitted: break
        case .first: queue.async { self.drain() }
        case .firstLater:
            queue.asyncAfter(deadline: .now() + .milliseconds(StoreLimits.moment)) { self.drain() }
        case .refused(let error):
            // Counted at once, so that what is lost after it counts to the same loss.
            let report = losses.withLock { $0.lost(1, error) }
            refusals.async {
                if let report { self.onFailure(report) }
                write.end(error)
            }
            return error
        }
        return nil
    }

    /// Writes what waits, and returns then.
    func flush() {
        dispatchPrecondition(condition: .notOnQueue(queue))
        queue.sync { drain() }
    }

    /// Writes what waits and takes no more.
    func close() {
        dispatchPrecondition(condition: .notOnQueue(queue))
        waiting.withLock { $0.close() }
        queue.sync {
            drain()
            writer = nil
            lock = nil
        }
    }

    /// Writes until nothing waits.
    private func drain() {
        while let writer {
            let writes = waiting.withLock { $0.take() }
            guard !writes.isEmpty else { break }
            var rest = writes[...]
            while !rest.isEmpty {
                write(rest.prefix(StoreLimits.writesPerCommit), with: writer)
                rest = rest.dropFirst(StoreLimits.writesPerCommit)
            }
        }
        tidy()
    }

    private func write(_ group: ArraySlice<Writer.Item>, with writer: Writer) {
        let failures = writer.write(group, at: now())
        waiting.withLock { $0.written(bytes: group.reduce(0) { $0 + $1.bytes }) }
        if let failure = failures.lazy.compactMap(\.self).first {
            tell { $0.lost(failures.count { $0 != nil }, failure) }
        } else {
            tell { $0.written() }
        }
        for (write, failure) in zip(group, failures) { write.end(failure) }
        // Only now, so that nobody waits for it.
        moveLog(writer)
    }

    /// Removes a portion of what is too much, and comes back for more after those who wait.
    private func tidy() {
        // What fails here fails a write too, which tells it.
        guard let writer, (try? writer.trim(at: now())) == true else { return }
        moveLog(writer)
        queue.async { self.tidy() }
    }

    private func moveLog(_ writer: Writer) {
        do throws(StoreError) {
            try writer.checkpointIfNeeded()
        } catch {
            // Nothing is lost by it: the log has it all, and grows.
            tell { $0.lost(0, error) }
        }
    }

    private func tell(_ change: (inout WriteLosses) -> StoreError?) {
        if let report = losses.withLock(change) { onFailure(report) }
    }
}
