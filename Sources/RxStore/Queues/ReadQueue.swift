internal import Rx
internal import RxPlatform
internal import RxRecords

/// Reads one after the other, on a queue that never waits for writes. Users are served in turn; the daemon's own reads
/// have a turn too, except for those of `wait`, which come after all that wait already.
// Unchecked: `reader` is used on `queue` only; the rest is constant or locked.
final class ReadQueue<Reader: AnyObject>: @unchecked Sendable {
    let queue: WorkQueue
    /// Calls the completions of reads that were refused.
    private let refusals: WorkQueue
    private var reader: Reader?
    private let state: Locked<State>
    private let probes = ProgressProbes()

    private struct State {
        /// Reads that have not begun, by the requesting user; nil for the daemon.
        var waiting = FairQueue<UInt32?, @Sendable () -> Void>()
        /// Rows that could not be read.
        var unreadable: Int
        let places: SharedPlaces

        /// - Returns: the limit that leaves no room for the read; nil if it waits now.
        mutating func add(_ read: @escaping @Sendable () -> Void, for user: UInt32?) -> Int? {
            let limits = StoreLimits.self
            // The daemon asks for what its streams and reactors need, and has no connections to bound.
            if user != nil {
                let own = waiting.count(of: user)
                guard own < limits.waitingReadsOfUser else { return limits.waitingReadsOfUser }
                guard places.mayTake(own, of: waiting.count, for: user) else { return places.most }
            }
            waiting.append(read, of: user)
            return nil
        }
    }

    init(_ reader: Reader, unreadable: Int, platform: Platform) {
        self.reader = reader
        queue = platform.queues.serial("rxd.store.reads")
        refusals = platform.queues.serial("rxd.store.refusedReads")
        let places = SharedPlaces(StoreLimits.waitingReads, owner: platform.disk.user())
        state = Locked(State(unreadable: unreadable, places: places))
    }

    var unreadable: Int { state.withLock { $0.unreadable } }

    /// The reads of a user that have not begun.
    func waiting(of user: UInt32) -> Int { state.withLock { $0.waiting.count(of: user) } }

    /// - Parameters:
    ///   - user: the requesting user; nil for the daemon.
    ///   - completion: called once, on a queue of the store.
    func add<Value>(
        for user: UInt32?, _ completion: @escaping @Sendable (Result<Value, StoreError>) -> Void,
        _ read: @escaping @Sendable (Reader) throws(StoreError) -> (Value, unreadable: Int)
    ) {
        let work: @Sendable () -> Void = { [self] in
            let (result, unreadable) = result(read)
            if unreadable > 0 { state.withLock { $0.unreadable += unreadable } }
            completion(result)
        }
        if let limit = state.withLock({ $0.add(work, for: user) }) {
            refusals.async { completion(.failure(.overloaded(limit: limit))) }
        } else {
            queue.async { self.readNext() }
        }
    }

    /// There is one call for each read that waits.
    private func readNext() {
        state.withLock { $0.waiting.removeFirst() }?()
        probes.answer()
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
