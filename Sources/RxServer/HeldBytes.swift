internal import Synchronization

/// Bytes of elements that are collected for the answers to one user. Any thread.
final class HeldBytes: Sendable {
    private let bytes = Atomic<Int>(0)
    private let limit: Int

    init(limit: Int) {
        self.limit = limit
    }

    /// The bytes that are held now.
    var count: Int { bytes.load(ordering: .relaxed) }

    /// Adds `count` bytes unless the sum would exceed the limit.
    ///
    /// - Returns: whether they were added.
    func add(_ count: Int) -> Bool {
        let sum = bytes.wrappingAdd(count, ordering: .relaxed).newValue
        guard sum > limit else { return true }
        remove(count)
        return false
    }

    func remove(_ count: Int) {
        bytes.wrappingSubtract(count, ordering: .relaxed)
    }
}
