public import Synchronization

/// An atomic word that holds a disposable, nothing yet, or the disposed state.
///
/// A sink has an additional state: it has ended, but the held disposable is not yet disposed.
@usableFromInline
struct DisposableSlot: ~Copyable, Sendable {
    @usableFromInline let word = Atomic<UInt>(0)

    private static var empty: UInt { 0 }
    @inlinable static var closed: UInt { 1 }
    /// The flag of the ended state, combined with the held disposable.
    @inlinable static var ended: UInt { 2 }

    @usableFromInline
    init() {}

    deinit {
        let word = word.load(ordering: .acquiring)
        if word > DisposableSlot.ended { DisposableSlot.disposable(word).release() }
    }

    @inlinable
    var isDisposed: Bool { word.load(ordering: .acquiring) == DisposableSlot.closed }

    /// Whether it is neither ended nor disposed.
    @inlinable
    var isOpen: Bool { word.load(ordering: .acquiring) & (DisposableSlot.closed | DisposableSlot.ended) == 0 }

    /// Whether it is ended and the held disposable is not yet disposed.
    var isEnding: Bool { word.load(ordering: .acquiring) & DisposableSlot.ended != 0 }

    /// Marks the end. Returns false if it was already ended or disposed.
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

    /// Holds `disposable`, or disposes it at once if the slot is disposed. Returns false, without a change, if it
    /// already holds another.
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

    /// Releases the held disposable without disposing it, unless the slot is ended or disposed.
    func clear() {
        let held = word.load(ordering: .acquiring)
        guard held > DisposableSlot.ended, held & DisposableSlot.ended == 0 else { return }
        let (done, _) = word.compareExchange(
            expected: held, desired: DisposableSlot.empty, ordering: .acquiringAndReleasing)
        if done { DisposableSlot.disposable(held).release() }
    }

    /// Closes the slot and returns its disposable, if any; nil if it was already closed.
    func close() -> DisposeBase?? {
        let found = word.exchange(DisposableSlot.closed, ordering: .acquiringAndReleasing)
        if found == DisposableSlot.closed { return nil }
        if found <= DisposableSlot.ended { return .some(nil) }
        return DisposableSlot.disposable(found).takeRetainedValue()
    }

    /// Disposes the held disposable and any that is set later.
    func dispose() {
        if let held = close() { held?.dispose() }
    }

    private static func disposable(_ word: UInt) -> Unmanaged<DisposeBase> {
        // A word above `ended` was created from a pointer in `set(_:)`.
        Unmanaged.fromOpaque(UnsafeRawPointer(bitPattern: word & ~ended)!)
    }
}
