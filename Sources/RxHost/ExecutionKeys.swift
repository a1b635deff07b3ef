internal import Rx
internal import RxJSON

/// The keys that requesters gave to executions, each for its lifetime.
///
/// A promise is never taken back early: when as many are remembered as may be, a new one is refused. What an ended
/// execution had said is kept for who asks again, within a bound of its own.
final class ExecutionKeys: Sendable {
    /// All elements kept for keys of ended executions; the oldest executions' are dropped first.
    static let elementBytesKept = 16 << 20

    /// More than one, so that keys are forgotten faster than they come.
    private static let lookedAtPerClaim = 8

    struct Name: Hashable {
        let action: String
        let key: ExecutionKey.Identity
    }

    enum Claim {
        /// The key is the execution's from now on.
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
        /// In the order in which they were given.
        var order = Queue<Name>()
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
            if let entry = state.entries[name] {
                return entry.inputHash == key.inputHash ? .known(entry.execution) : .otherInput
            }
            guard state.entries.count < limit else { return .full(limit: limit) }
            state.entries[name] = Entry(inputHash: key.inputHash, givenAt: time, execution: execution)
            state.order.append(name)
            return .granted
        }
    }

    /// The input was accepted as part of another execution.
    func move(_ key: ExecutionKey, to execution: HostedExecution) {
        let name = Name(action: execution.action.name, key: key.identity)
        state.withLock { $0.entries[name]?.execution = execution }
    }

    /// The input was refused: whoever asks again asks anew.
    func release(_ key: ExecutionKey, of execution: HostedExecution) {
        let name = Name(action: execution.action.name, key: key.identity)
        state.withLock { state in
            guard state.entries[name]?.execution === execution else { return }
            state.entries[name] = nil
            // Refusals, which come as fast as clients can ask, must not make the order long.
            guard state.order.count > 2 * (state.entries.count + ExecutionKeys.lookedAtPerClaim) else { return }
            for name in state.order.removeAll() where state.entries[name] != nil { state.order.append(name) }
        }
    }

    /// An execution with a key has ended and keeps its elements for who asks again.
    ///
    /// - Returns: executions that shall keep theirs no longer.
    func ended(_ execution: HostedExecution, elementBytes: Int) -> [HostedExecution] {
        state.withLock { state in
            state.recorded.append((execution, elementBytes))
            state.recordedBytes += elementBytes
            var dropped: [HostedExecution] = []
            while state.recordedBytes > ExecutionKeys.elementBytesKept, let oldest = state.recorded.removeFirst() {
                state.recordedBytes -= oldest.bytes
                dropped.append(oldest.execution)
            }
            return dropped
        }
    }

    /// One in flight is not forgotten, however long ago its key was given. Looks at a few, so that no claim is slow.
    private func forgetExpired(_ state: inout State, at time: Int64) {
        let milliseconds = Int64(lifetime / .milliseconds(1))
        for _ in 0..<ExecutionKeys.lookedAtPerClaim {
            guard let name = state.order.first else { return }
            if let entry = state.entries[name] {
                guard entry.givenAt + milliseconds < time else { return }
                state.order.removeFirst()
                if entry.execution.hasEnded {
                    state.entries[name] = nil
                } else {
                    // Behind the others, which must not wait for it.
                    state.order.append(name)
                }
            } else {
                state.order.removeFirst()
            }
        }
    }
}

extension ExecutionKey {
    /// A key without the input it was given with.
    struct Identity: Hashable {
        let text: String
        let uid: UInt32
    }

    var identity: Identity { Identity(text: text, uid: uid) }

    init(_ text: String, by origin: Origin, input: RawJSON) {
        let uid: UInt32 =
            switch origin {
            case .peer(let uid, _, _): uid
            case .trigger, .host: .max
            }
        // FNV-1a: the same after a restart, which the standard library's hashes are not.
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in input.minified().utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        self.init(text, uid: uid, inputHash: String(hash, radix: 16))
    }
}
