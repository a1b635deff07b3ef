internal import Rx
internal import RxPlatform

/// Reads one after the other, on a queue that never waits for writes.
// Unchecked: `reader` is used on `queue` only; the rest is constant or locked.
final class ReadQueue<Reader: AnyObject>: @unchecked Sendable {
    let queue: WorkQueue
    /// Calls the completions of reads that were refused.
    private let refusals: WorkQueue
    private var reader: Reader?
    private let counts: Locked<Counts>

    private struct Counts {
        var waiting = 0
        /// Rows that could not be read.
        var unreadable: Int
    }
    private let probes = ProgressProbes()

    init(_ reader: Reader, unreadable: Int, queues: Queues) {
        self.reader = reader
        queue = queues.serial("rxd.store.reads")
        refusals = queues.serial("rxd.store.refusedReads")
        counts = Locked(Counts(unreadable: unreadable))
    }

    var unreadable: Int { counts.withLock { $0.unreadable } }

    func add<Value>(
        _ completion: @escaping @Sendable (Result<Value, StoreError>) -> Void,
        _ read: @escaping @Sendable (Reader) throws(StoreError) -> (Value, unreadable: Int)
    ) {
        let isAdmitted = counts.withLock { counts in
            guard counts.waiting < StoreLimits.waitingReads else { return false }
            counts.waiting += 1
            return true
        }
        guard isAdmitted else {
            refusals.async { completion(.failure(.overloaded(limit: StoreLimits.waitingReads))) }
            return
        }
        queue.async {
            let (result, unreadable) = self.result(read)
            self.counts.withLock { counts in
                counts.waiting -= 1
                counts.unreadable += unreadable
            }
            completion(result)
            self.probes.answer()
        }
    }

    /// Calls `answer` from the queue, with its next progress.
    func probe(_ answer: @escaping @Sendable () -> Void) {
        probes.add(answer)
        queue.async { [probes] in probes.answer() }
    }

    /// Reads before this returns. Not to be called on the queue.
    func wait<Value>(_ read: (Reader) throws(StoreError) -> Value) throws(StoreError) -> Value {
        try queue.sync { () -> Result<Value, StoreError> in
            defer { probes.answer() }
            return result { reader throws(StoreError) in (try read(reader), 0) }.0
        }.get()
    }

    /// Not to be called on the queue.
    func close() {
        queue.sync { reader = nil }
    }

    private func result<Value>(
        _ read: (Reader) throws(StoreError) -> (Value, unreadable: Int)
    ) -> (Result<Value, StoreError>, unreadable: Int) {
        guard let reader else { return (.failure(.closed), 0) }
        do throws(StoreError) {
            let (value, unreadable) = try read(reader)
            return (.success(value), unreadable)
        } catch {
            return (.failure(error), 0)
        }
    }
}
