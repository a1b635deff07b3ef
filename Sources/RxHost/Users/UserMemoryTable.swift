internal import Rx
internal import Synchronization

/// The memory that a host keeps for each user. Any thread.
package final class UserMemoryTable: Sendable {
    private struct Entry {
        weak var memory: UserMemory?
    }

    private struct State {
        var entries: [UInt32: Entry] = [:]
        var observer: (@Sendable (_ uid: UInt32, _ freed: Int) -> Void)?
    }

    private let state = Locked(State())
    private let mostBytes = Atomic<Int>(.max)

    init() {}

    /// The most bytes for one user. No limit until a server sets one.
    package var limit: Int {
        get { mostBytes.load(ordering: .relaxed) }
        set { mostBytes.store(newValue, ordering: .relaxed) }
    }

    /// The memory of a user.
    package subscript(uid: UInt32) -> UserMemory {
        state.withLock { state in
            if let memory = state.entries[uid]?.memory { return memory }
            // Users for whom nothing is kept any more.
            state.entries = state.entries.filter { $0.value.memory != nil }
            let memory = UserMemory(uid, of: self)
            state.entries[uid] = Entry(memory: memory)
            return memory
        }
    }

    /// The users for whom something is kept.
    package var users: [UInt32] {
        state.withLock { $0.entries.values.compactMap { $0.memory }.filter { $0.bytes != 0 }.map(\.uid) }
    }

    /// Calls `observer` when much was freed, and at the next freeing once a user's room is awaited; on any thread, with
    /// locks of the host held.
    package func observe(_ observer: @escaping @Sendable (_ uid: UInt32, _ freed: Int) -> Void) {
        state.withLock { $0.observer = observer }
    }

    func report(_ freed: Int, of uid: UInt32) {
        state.withLock { $0.observer }?(uid, freed)
    }
}
