/// The contents of a bag. Separate from the bag, so that a subscription can refer to it without retaining the bag.
final class BagMembers: @unchecked Sendable {
    // Unchecked: `lock` guards the mutable state.
    private let lock = Lock()
    @exclusivity(unchecked) private var members = DisposableList()
    @exclusivity(unchecked) private var isDisposed = false

    init() {}

    var count: Int { lock.withLock { members.count } }

    func insert(_ member: consuming DisposeBase) {
        lock.lock()
        if isDisposed {
            lock.unlock()
            return member.dispose()
        }
        // Under the lock, so that a subscription that ends meanwhile leaves after it has joined.
        if member.keep(in: self) { members.insert(member) }
        lock.unlock()
    }

    func leave(_ member: DisposeBase) {
        lock.lock()
        let gone = members.remove(member)
        lock.unlock()
        // Released outside the lock, because releasing its closures may run code.
        withExtendedLifetime(gone) {}
    }

    /// Disposes the contents in order of insertion, and from now on everything that is inserted.
    func dispose() {
        lock.lock()
        isDisposed = true
        var all = DisposableList()
        swap(&all, &members)
        lock.unlock()
        all.forEach { $0.dispose() }
    }
}
