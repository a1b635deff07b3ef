/// The number of elements that may wait for a slow reader, and the treatment of further ones.
///
/// For `observe(on:buffering:)` and `values(buffering:)`. Only elements count; the end is always delivered.
public enum Buffering: Sendable {
    /// The treatment of an element that arrives when the buffer is full.
    public enum Overflow: Sendable {
        /// Drops the element that has waited longest.
        case dropOldest
        /// Drops the element that arrives.
        case dropNewest
        /// Disposes the source. The reader gets the buffered elements, then `RxError.overflow`.
        case error
    }

    /// Buffers all elements without a limit.
    case unbounded

    /// Buffers at most this many elements; must be at least 1.
    case bounded(Int, whenFull: Overflow)

    /// Traps if the bound is less than 1.
    func check() {
        switch self {
        case .unbounded: break
        case .bounded(let count, whenFull: _): precondition(count > 0, "a buffer has room for an element")
        }
    }
}
