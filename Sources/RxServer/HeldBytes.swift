internal import RxHost
internal import Synchronization

/// Bytes of elements that are collected for the answers to one user. Any thread.
final class HeldBytes: ElementCharge {
    private let bytes = Atomic<Int>(0)
    private let outbound = Atomic<Int>(0)
    private let limit: Int

    init(limit: Int) {
        self.limit = limit
    }

    /// The bytes that are held now.
    var count: Int { bytes.load(ordering: .relaxed) }

    /// Bytes that wait for the user's peers: an answer whose elements were collected waits there.
    var outboundBytes: Int {
        get { outbound.load(ordering: .relaxed) }
        set { outbound.store(newValue, ordering: .relaxed) }
    }

    /// Adds `count` bytes unless, with what waits for the user's peers, the sum would exceed the limit.
    ///
    /// - Returns: whether they were added.
    func add(_ count: Int) -> Bool {
        let sum = bytes.wrappingAdd(count, ordering: .relaxed).newValue
        guard sum + outboundBytes > limit else { return true }
        remove(count)
        return false
    }

    func remove(_ count: Int) {
        bytes.wrappingSubtract(count, ordering: .relaxed)
    }
}
