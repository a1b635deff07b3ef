internal import Synchronization

/// An atomic word that holds the bag of a subscription, none, or the ended state.
struct BagSlot: ~Copyable, Sendable {
    private let word = Atomic<UInt>(0)
    private static let none: UInt = 0
    private static let over: UInt = 1

    init() {}

    deinit { _ = close() }

    /// Stores the bag to notify. Returns false if the subscription has already ended. Only the first bag is stored.
    func set(_ bag: BagMembers) -> Bool {
        let retained = Unmanaged.passRetained(bag)
        let (done, found) = word.compareExchange(
            expected: BagSlot.none, desired: UInt(bitPattern: retained.toOpaque()), ordering: .acquiringAndReleasing)
        if !done { retained.release() }
        return found != BagSlot.over
    }

    /// Marks the end and returns the bag.
    func close() -> BagMembers? {
        let found = word.exchange(BagSlot.over, ordering: .acquiringAndReleasing)
        guard found > BagSlot.over, let pointer = UnsafeRawPointer(bitPattern: found) else { return nil }
        return Unmanaged<BagMembers>.fromOpaque(pointer).takeRetainedValue()
    }
}
