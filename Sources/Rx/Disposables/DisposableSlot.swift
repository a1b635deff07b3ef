public import Synchronization

/// One atomic word that holds a disposable, or nothing yet, or the fact that it was disposed.
///
/// For a sink there is a state between: it has ended, and what it holds is still to be disposed.
@usableFromInline
struct DisposableSlot: ~Copyable, Sendable {
    @usableFromInline let word = Atomic<UInt>(0)

    private static var empty: UInt { 0 }
    @inlinable static var closed: UInt { 1 }
    /// Set beside what is held.
    @inlinable static var ended: UInt { 2 }

    @usableFromInline
    init() {}

    deinit {
        let word = word.load(ordering: .acquiring)
        if word > DisposableSlot.ended { DisposableSlot.disposable(word).release() }
    }

    @inlinable
    var isDisposed: Bool { word.load(ordering: .acquiring) == DisposableSlot.closed }

    /// Neither ended nor disposed.
    @inlinable
    var isOpen: Bool { word.load(ordering: .acquiring) & (DisposableSlot.closed | DisposableSlot.ended) == 0 }

    /// Ended, and what is held not yet disposed.
    var isEnding: Bool { word.load(ordering: .acquiring) & DisposableSlot.ended != 0 }

    /// Notes the end; false when it had ended or was disposed before.
    func end() -> Bool {
        var known = word.load(ordering: .relaxed)
        while known & (DisposableSlot.closed | DisposableSlot.ended) == 0 {
            let (done, found) = word.compareExchange(
                expected: known, desired: known | DisposableSlot.ended, ordering: .acquiringAndReleasing)
            if done { return true }
            known = found
        }
        return false
    }

    /// Keeps `disposable`, or disposes it at once when the slot was disposed. False when another is held: nothing changed.
    func set(_ disposable: DisposeBase) -> Bool {
        let retained = Unmanaged.passRetained(disposable)
        let (done, found) = word.compareExchange(
            expected: DisposableSlot.empty, desired: UInt(bitPattern: retained.toOpaque()),
            ordering: .acquiringAndReleasing)
        if done { return true }
        if found == DisposableSlot.ended {
            let kept = word.compareExchange(
                expected: DisposableSlot.ended, desired: UInt(bitPattern: retained.toOpaque()) | DisposableSlot.ended,
                ordering: .acquiringAndReleasing)
            if kept.exchanged { return true }
        }
        retained.release()
        guard isDisposed else { return false }
        disposable.dispose()
        return true
    }

    /// Closes the slot and gives up what it holds, if anything; nil when it was closed before.
    func close() -> DisposeBase?? {
        let found = word.exchange(DisposableSlot.closed, ordering: .acquiringAndReleasing)
        if found == DisposableSlot.closed { return nil }
        if found <= DisposableSlot.ended { return .some(nil) }
        return DisposableSlot.disposable(found).takeRetainedValue()
    }

    /// Disposes what is held, and what is set later.
    func dispose() {
        if let held = close() { held?.dispose() }
    }

    private static func disposable(_ word: UInt) -> Unmanaged<DisposeBase> {
        // A word above `ended` was made from a pointer in `set(_:)`.
        Unmanaged.fromOpaque(UnsafeRawPointer(bitPattern: word & ~ended)!)
    }
}
