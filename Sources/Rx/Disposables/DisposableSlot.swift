public import Synchronization

/// One atomic word that holds a disposable, or nothing yet, or the fact that it was disposed.
@usableFromInline
struct DisposableSlot: ~Copyable, Sendable {
    @usableFromInline let word = Atomic<UInt>(0)

    private static var empty: UInt { 0 }
    @inlinable static var closed: UInt { 1 }

    @usableFromInline
    init() {}

    deinit {
        let word = word.load(ordering: .acquiring)
        if word > DisposableSlot.closed { DisposableSlot.disposable(word).release() }
    }

    @inlinable
    var isDisposed: Bool { word.load(ordering: .acquiring) == DisposableSlot.closed }

    /// Keeps `disposable`, or disposes it at once when the slot was disposed. False when another is held: nothing changed.
    func set(_ disposable: DisposeBase) -> Bool {
        let retained = Unmanaged.passRetained(disposable)
        let (done, found) = word.compareExchange(
            expected: DisposableSlot.empty, desired: UInt(bitPattern: retained.toOpaque()),
            ordering: .acquiringAndReleasing)
        if done { return true }
        retained.release()
        guard found == DisposableSlot.closed else { return false }
        disposable.dispose()
        return true
    }

    /// Closes the slot and gives up what it holds, if anything; nil when it was closed before.
    func close() -> DisposeBase?? {
        let found = word.exchange(DisposableSlot.closed, ordering: .acquiringAndReleasing)
        if found == DisposableSlot.closed { return nil }
        if found == DisposableSlot.empty { return .some(nil) }
        return DisposableSlot.disposable(found).takeRetainedValue()
    }

    /// Disposes what is held, and what is set later.
    func dispose() {
        if let held = close() { held?.dispose() }
    }

    private static func disposable(_ word: UInt) -> Unmanaged<DisposeBase> {
        // A word above `closed` was made from a pointer in `set(_:)`.
        Unmanaged.fromOpaque(UnsafeRawPointer(bitPattern: word)!)
    }
}
