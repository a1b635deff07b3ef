internal import RxRecords
internal import Rx
internal import RxJSON

/// The execution keys of a host, each remembered for its lifetime.
///
/// No key is forgotten early: at the limit, new keys are refused. The elements of ended executions are kept for
/// requests with the same key, within a limit of their own.
final class ExecutionKeys: Sendable {
    /// The most bytes of elements that are kept of ended executions; the oldest executions' are dropped first.
    static let bytesKept = 16 << 20

    /// The bytes that an ended execution counts beside its elements, since it is remembered in any case.
    static let bytesPerExecution = 1024

    /// Entries examined by each claim: more than one, so that keys are forgotten faster than they come.
    private static let lookedAtPerClaim = 8

    struct Name: Hashable {
        let action: String
        let key: ExecutionKey.Identity
    }

    enum Claim {
        /// The key refers to the given execution from now on.
        case granted
        case known(HostedExecution)
        case otherInput
        case full(limit: Int)
    }

    private struct Entry {
        let inputHash: String
        let givenAt: Int64
        var execution: HostedExecution
    }

    private struct State {
        var entries: [Name: Entry] = [:]
        /// All claims in their order; those of keys that were released or claimed again since are skipped.
        var order = Queue<(name: Name, givenAt: Int64)>()
        /// Ended executions whose elements are kept, in the order of their ends.
        var recorded = Queue<(execution: HostedExecution, bytes: Int)>()
        var recordedBytes = 0
    }

    let limit: Int
    let lifetime: Duration
    private let state = Locked(State())

    init(limit: Int, lifetime: Duration) {
        self.limit = limit
        self.lifetime = lifetime
    }

    var count: Int { state.withLock { $0.entries.count } }

    func claim(_ key: ExecutionKey, for execution: HostedExecution, at time: Int64) -> Claim {
        let name = Name(action: execution.action.name, key: key.identity)
        return state.withLock { state in
            forgetExpired(&state, at: time)
            if let entry = state.entries[name], !isForgotten(entry, at: time) {
                return entry.inputHash == key.inputHash ? .known(entry.execution) : .otherInput
            }
            state.entries[name] = nil
            guard state.entries.count < limit else { return .full(limit: limit) }
            state.entries[name] = Entry(inputHash: key.inputHash, givenAt: time, execution: execution)
            state.order.append((name, time))
            return .granted
        }
    }

    /// The input was accepted as part of another execution than its own.
    func move(_ key: ExecutionKey, from own: HostedExecution, to execution: HostedExecution) {
        let name = Name(action: execution.action.name, key: key.identity)
        state.withLock { state in
            if state.entries[name]?.execution === own { state.entries[name]?.execution = execution }
        }
    }

    /// The input was refused: the same key starts a new execution.
    func release(_ key: ExecutionKey, of execution: HostedExecution) {
        let name = Name(action: execution.action.name, key: key.identity)
        state.withLock { state in
            guard state.entries[name]?.execution === execution else { return }
            state.entries[name] = nil
            // Refusals come as fast as clients can send, and must not make the order long.
            guard state.order.count > 2 * (state.entries.count + ExecutionKeys.lookedAtPerClaim) else { return }
            for given in state.order.removeAll() where state.entries[given.name]?.givenAt == given.givenAt {
                state.order.append(given)
            }
        }
    }

    /// An execution with a key has ended and keeps its elements for requests with the same key.
    ///
    /// - Returns: executions that have to drop theirs.
    func ended(_ execution: HostedExecution, elementBytes: Int) -> [HostedExecution] {
        let bytes = elementBytes + ExecutionKeys.bytesPerExecution
        return state.withLock { state in
            state.recorded.append((execution, bytes))
            state.recordedBytes += bytes
            var dropped: [HostedExecution] = []
            while state.recordedBytes > ExecutionKeys.bytesKept, let oldest = state.recorded.removeFirst() {
                state.recordedBytes -= oldest.bytes
                dropped.append(oldest.execution)
            }
            return dropped
        }
    }

    /// Examines only a few keys, so that no claim is slow.
    private func forgetExpired(_ state: inout State, at time: Int64) {
        for _ in 0..<ExecutionKeys.lookedAtPerClaim {
            guard let given = state.order.first else { return }
            guard let entry = state.entries[given.name], entry.givenAt == given.givenAt else {
                state.order.removeFirst()
                continue
            }
            guard isExpired(entry, at: time) else { return }
            state.order.removeFirst()
            if isForgotten(entry, at: time) {
                state.entries[given.name] = nil
            } else {
                // Behind the others, which must not wait for it.
                state.order.append(given)
            }
        }
    }

    private func isExpired(_ entry: Entry, at time: Int64) -> Bool {
        entry.givenAt + Int64(lifetime / .milliseconds(1)) < time
    }

    /// One in flight is not forgotten, however long ago its key was given.
    private func isForgotten(_ entry: Entry, at time: Int64) -> Bool {
        isExpired(entry, at: time) && entry.execution.hasEnded
    }
}
