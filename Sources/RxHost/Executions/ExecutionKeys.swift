internal import RxStore
internal import RxRecords
internal import Rx
internal import RxJSON

/// The execution keys of a host, each remembered for its lifetime.
///
/// No key is forgotten early: at the limit, or at the share of one user, new keys are refused; before the limit, those
/// of users who have many (see `SharedPlaces`). Lifetimes are measured by the monotonic clock, so that a change of the
/// time of day neither ends them nor prolongs them. The elements of ended executions are kept for requests with the
/// same key, within a limit of their own.
final class ExecutionKeys: Sendable {
    /// The most bytes of ended executions: elements, inputs, and errors. Those of the user who has most are dropped
    /// first, of the oldest executions.
    static let bytesKept = 16 << 20

    /// The bytes that an ended execution counts beside those, since it is remembered in any case.
    static let bytesPerExecution = 1024

    /// Entries examined by each claim: more than one, so that keys are forgotten faster than they come.
    private static let lookedAtPerClaim = 8

    /// Entries examined before a claim is refused: some may have expired since the last claim.
    private static let lookedAtPerRefusal = 1024

    struct Name: Hashable {
        let action: String
        let key: ExecutionKey.Identity
    }

    enum Claim {
        /// The key refers to the given execution from now on.
        case granted
        /// The key refers to this execution. If `unstored` is not nil, the key is stored once that is accepted.
        case known(HostedExecution, unstored: Durability?)
        case otherInput
        case full(limit: Int)
        case shareTaken(limit: Int)
    }

    private enum Holder {
        case hosted(HostedExecution)
        /// An execution of an earlier host, which has ended.
        case past(ExecutionRecord)

        var hasEnded: Bool {
            switch self {
            case .hosted(let execution): execution.hasEnded
            case .past: true
            }
        }

        func isHosted(_ execution: HostedExecution) -> Bool {
            switch self {
            case .hosted(let own): own === execution
            case .past: false
            }
        }
    }

    private struct Entry {
        let inputHash: String
        let givenAt: Duration
        var holder: Holder
        /// Not nil while the row of a key that joined an execution is being stored.
        var unstored: Durability?
    }

    private struct State {
        var entries: [Name: Entry] = [:]
        /// The number of entries of each user.
        var counts: [UInt32: Int] = [:]
        /// All claims in their order; those of keys that were released or claimed again since are skipped.
        var order = Queue<(name: Name, givenAt: Duration)>()
        /// Ended executions whose elements are kept, by the user of the key.
        var recorded: [UInt32: Recorded] = [:]
        var recordedBytes = 0

        mutating func add(_ entry: Entry, _ name: Name) {
            remove(name)
            entries[name] = entry
            counts[name.key.uid, default: 0] += 1
            order.append((name, entry.givenAt))
        }

        /// Takes out the oldest execution of the user who has most.
        mutating func removeRecorded() -> HostedExecution? {
            guard let uid = recorded.max(by: { $0.value.bytes < $1.value.bytes })?.key else { return nil }
            let oldest = recorded[uid]?.removeFirst()
            if recorded[uid]?.bytes == 0 { recorded[uid] = nil }
            recordedBytes -= oldest?.bytes ?? 0
            return oldest?.execution
        }

        mutating func remove(_ name: Name) {
            guard entries.removeValue(forKey: name) != nil, let count = counts[name.key.uid] else { return }
            counts[name.key.uid] = count == 1 ? nil : count - 1
        }
    }

    /// Ended executions of one user, in the order of their ends.
    private struct Recorded {
        var executions = Queue<(execution: HostedExecution, bytes: Int)>()
        var bytes = 0

        mutating func append(_ execution: HostedExecution, _ bytes: Int) {
            executions.append((execution, bytes))
            self.bytes += bytes
        }

        mutating func removeFirst() -> (execution: HostedExecution, bytes: Int)? {
            let first = executions.removeFirst()
            bytes -= first?.bytes ?? 0
            return first
        }
    }

    let limits: ExecutionKeyLimits
    private let places: SharedPlaces
    private let state = Locked(State())

    /// - Parameter owner: the daemon's own user.
    init(_ limits: ExecutionKeyLimits, owner: UInt32 = 0) {
        self.limits = limits
        places = SharedPlaces(limits.count, owner: owner)
    }

    var count: Int { state.withLock { $0.entries.count } }

    /// - Parameter time: the reading of the monotonic clock.
    func claim(_ key: ExecutionKey, _ input: RawJSON, for execution: HostedExecution, at time: Duration) -> Claim {
        let name = Name(action: execution.action.name, key: key.identity)
        return state.withLock { state in
            forgetExpired(&state, ExecutionKeys.lookedAtPerClaim, at: time)
            if let entry = state.entries[name], !isForgotten(entry, at: time) {
                guard InputSalt.matches(entry.inputHash, input, salted: key.inputHash) else { return .otherInput }
                switch entry.holder {
                case .hosted(let known): return .known(known, unstored: entry.unstored)
                case .past(let record):
                    let known = HostedExecution(ended: record, action: execution.action, key: key)
                    return .known(known, unstored: nil)
                }
            }
            state.remove(name)
            if refusal(&state, key.uid) != nil { forgetExpired(&state, ExecutionKeys.lookedAtPerRefusal, at: time) }
            if let refusal = refusal(&state, key.uid) { return refusal }
            state.add(Entry(inputHash: key.inputHash, givenAt: time, holder: .hosted(execution)), name)
            return .granted
        }
    }

    /// Takes over a key of an earlier host, beyond the limits if it has to be: it was promised.
    ///
    /// - Parameters:
    ///   - keyed: the key and, if it has ended, its execution.
    ///   - queued: the execution if it has not ended.
    ///   - time: the reading of the monotonic clock.
    func restore(_ keyed: KeyedExecution, queued: HostedExecution?, at time: Duration) {
        let holder: Holder
        if let record = keyed.record {
            holder = .past(record)
        } else if let queued {
            holder = .hosted(queued)
        } else {
            return
        }
        let entry = Entry(inputHash: keyed.key.inputHash, givenAt: time - keyed.age, holder: holder)
        state.withLock { $0.add(entry, Name(action: keyed.action, key: keyed.key.identity)) }
    }

    /// The input was accepted as part of another execution than its own.
    ///
    /// - Parameter unstored: accepted once the key is stored; then, `stored` is called.
    func move(
        _ key: ExecutionKey, from own: HostedExecution, to execution: HostedExecution, unstored: Durability?
    ) {
        let name = Name(action: execution.action.name, key: key.identity)
        state.withLock { state in
            guard state.entries[name]?.holder.isHosted(own) == true else { return }
            state.entries[name]?.holder = .hosted(execution)
            state.entries[name]?.unstored = unstored
        }
    }

    /// The row of a key that was moved is stored.
    func stored(_ key: ExecutionKey, of execution: HostedExecution) {
        let name = Name(action: execution.action.name, key: key.identity)
        state.withLock { state in
            if state.entries[name]?.holder.isHosted(execution) == true { state.entries[name]?.unstored = nil }
        }
    }

    /// The input was refused, or the key could not be stored: the same key starts a new execution.
    func release(_ key: ExecutionKey, of execution: HostedExecution) {
        let name = Name(action: execution.action.name, key: key.identity)
        state.withLock { state in
            guard state.entries[name]?.holder.isHosted(execution) == true else { return }
            state.remove(name)
            shorten(&state)
        }
    }

    /// Refusals come as fast as clients can send, and must not make the order long.
    private func shorten(_ state: inout State) {
        guard state.order.count > 2 * (state.entries.count + ExecutionKeys.lookedAtPerClaim) else { return }
        for given in state.order.removeAll() where state.entries[given.name]?.givenAt == given.givenAt {
            state.order.append(given)
        }
    }

    /// Forgets keys whose executions have ended, and returns those that it knew.
    func forget(_ keys: [ExecutionKey.Identity], of action: String) -> [ExecutionKey.Identity] {
        state.withLock { state in
            defer { shorten(&state) }
            return keys.filter { key in
                let name = Name(action: action, key: key)
                guard let entry = state.entries[name], entry.holder.hasEnded, entry.unstored == nil else {
                    return false
                }
                state.remove(name)
                return true
            }
        }
    }

    /// An execution with a key has ended and keeps its elements for requests with the same key.
    ///
    /// - Parameter bytes: of its elements, its input, and its error.
    /// - Returns: executions that have to drop theirs.
    func ended(_ execution: HostedExecution, bytes: Int) -> [HostedExecution] {
        let bytes = bytes + ExecutionKeys.bytesPerExecution
        return state.withLock { state in
            state.recorded[execution.key?.uid ?? 0, default: Recorded()].append(execution, bytes)
            state.recordedBytes += bytes
            var dropped: [HostedExecution] = []
            while state.recordedBytes > ExecutionKeys.bytesKept, let oldest = state.removeRecorded() {
                dropped.append(oldest)
            }
            return dropped
        }
    }

    /// Why a new key of this user is refused; nil if it is not.
    private func refusal(_ state: inout State, _ uid: UInt32) -> Claim? {
        if state.entries.count >= limits.count { return .full(limit: limits.count) }
        let own = state.counts[uid, default: 0]
        if own >= limits.perUser { return .shareTaken(limit: limits.perUser) }
        return places.mayTake(own, of: state.entries.count, for: uid) ? nil : .full(limit: limits.count)
    }

    /// Examines only a few keys, so that no claim is slow.
    private func forgetExpired(_ state: inout State, _ lookedAt: Int, at time: Duration) {
        for _ in 0..<lookedAt {
            guard let given = state.order.first else { return }
            guard let entry = state.entries[given.name], entry.givenAt == given.givenAt else {
                state.order.removeFirst()
                continue
            }
            guard isExpired(entry, at: time) else { return }
            state.order.removeFirst()
            if isForgotten(entry, at: time) {
                state.remove(given.name)
            } else {
                // Behind the others, which must not wait for it.
                state.order.append(given)
            }
        }
    }

    private func isExpired(_ entry: Entry, at time: Duration) -> Bool { time - entry.givenAt > limits.lifetime }

    /// One in flight is not forgotten, however long ago its key was given.
    private func isForgotten(_ entry: Entry, at time: Duration) -> Bool {
        isExpired(entry, at: time) && entry.holder.hasEnded
    }
}
