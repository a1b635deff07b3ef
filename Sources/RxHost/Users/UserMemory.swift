package import Synchronization

/// The memory that a host keeps for one user, in bytes: inputs of executions in flight, and what a server adds of its
/// own. Any thread.
///
/// One limit holds for the user. What only the end of other work frees may be half of it.
package final class UserMemory: Sendable {
    /// Bytes freed before the table's observer is called.
    private static let freedBeforeReport = 1 << 20

    /// The user.
    package let uid: UInt32
    private let table: UserMemoryTable
    @usableFromInline
    package let kept = Atomic<Int>(0)
    private let recorded = Atomic<Int>(0)
    private let unreported = Atomic<Int>(0)
    private let awaited = Atomic<Bool>(false)

    init(_ uid: UInt32, of table: UserMemoryTable) {
        self.uid = uid
        self.table = table
    }

    /// The bytes that are kept now.
    @inlinable
    package var bytes: Int { kept.load(ordering: .sequentiallyConsistent) }

    /// Whether so many more bytes may be kept. A single thing of any size may be, beside little else.
    package func mayKeep(_ more: Int) -> Bool {
        let limit = table.limit
        return bytes + min(more, limit / 4) <= limit / 2
    }

    /// Adds bytes, whether there is room for them or not.
    @inlinable
    package func keep(_ more: Int) { kept.wrappingAdd(more, ordering: .relaxed) }

    /// Takes away bytes that were added.
    package func free(_ less: Int) {
        // Either this sees that room is awaited, or whoever awaits it sees this.
        kept.wrappingSubtract(less, ordering: .sequentiallyConsistent)
        let freed = unreported.wrappingAdd(less, ordering: .relaxed).newValue
        guard freed >= Self.freedBeforeReport || awaited.load(ordering: .sequentiallyConsistent) else { return }
        awaited.store(false, ordering: .relaxed)
        table.report(unreported.exchange(0, ordering: .relaxed), of: uid)
    }

    /// Has the table's observer called when something is freed, once.
    package func awaitRoom() { awaited.store(true, ordering: .sequentiallyConsistent) }

    // MARK: Recordings

    /// Whether the recordings of the user's executions take more than their part, a quarter of the limit beside what is
    /// kept, once they have grown by so many bytes.
    func areRecordingsFull(with more: Int) -> Bool { recorded.load(ordering: .relaxed) + more > table.limit / 4 }

    /// The recordings of the user's executions have grown or shrunk.
    func record(_ change: Int) { recorded.wrappingAdd(change, ordering: .relaxed) }
}

/// Bytes that are kept for a user until this ends.
package final class MemoryCharge: Sendable {
    package let memory: UserMemory
    private let bytes: Atomic<Int>

    fileprivate init(_ memory: UserMemory, _ bytes: Int) {
        self.memory = memory
        self.bytes = Atomic(bytes)
        memory.keep(bytes)
    }

    deinit {
        memory.free(bytes.load(ordering: .relaxed))
    }

    /// Keeps more bytes until the charge ends, whether there is room for them or not.
    func add(_ more: Int) {
        bytes.wrappingAdd(more, ordering: .relaxed)
        memory.keep(more)
    }

    /// Gives a part of the bytes back.
    func giveBack(_ part: Int) {
        bytes.wrappingSubtract(part, ordering: .relaxed)
        memory.free(part)
    }
}

extension UserMemory {
    /// Keeps bytes until the charge ends, whether there is room for them or not.
    package func charge(_ bytes: Int) -> MemoryCharge { MemoryCharge(self, bytes) }
}
