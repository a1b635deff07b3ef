/// How many elements may wait for a reader that is slower than its source, and what happens to one too many.
///
/// For `observe(on:buffering:)` and `values(buffering:)`. Only elements count: an end is always delivered.
public enum Buffering: Sendable {
    /// What to do with an element that finds the buffer full.
    public enum Overflow: Sendable {
        /// The element that has waited longest makes room.
        case dropOldest
        /// The element that arrives is not kept.
        case dropNewest
        /// The source is disposed; the reader receives what waits, then `RxError.overflow`.
        case error
    }

    /// Every element waits, however many they are.
    case unbounded

    /// At most this many elements wait; at least one may.
    case bounded(Int, whenFull: Overflow)

    /// Stops the program where a bound allows no element at all.
    func check() {
        switch self {
        case .unbounded: break
        case .bounded(let count, whenFull: _): precondition(count > 0, "a buffer has room for an element")
        }
    }
}
