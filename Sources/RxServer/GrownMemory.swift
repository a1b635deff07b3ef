internal import Rx
internal import RxPlatform

/// Gives free memory back to the system if there is more of it than after the last time. Any thread.
///
/// What the allocator counts as free does not shrink when its pages are given back. It grows when memory is freed that
/// was in use during the last trim, but not when pages are used and freed once more; then the memory of the process has
/// grown. Either shows that a further trim gains something.
final class GrownMemory: Sendable {
    /// Bytes that the allocator may keep, and by which either figure may grow after a trim before the next one.
    static let tolerated = 4 << 20

    private struct Figures {
        var free = 0
        var resident = 0

        /// Whether either figure is larger by more than is tolerated.
        func hasGrown(since earlier: Figures) -> Bool {
            free > earlier.free + tolerated || resident > earlier.resident + tolerated
        }
    }

    private let allocator: Allocator
    /// The figures after the last trim, or less if they have shrunk since. 0 before the first.
    private let settled = Locked(Figures())

    init(_ allocator: Allocator) { self.allocator = allocator }

    /// Trims if the allocator keeps much, and one of the figures has grown by much or nobody knows the process's size.
    ///
    /// - Returns: whether it has trimmed and the next call knows whether that gains something again.
    @discardableResult
    func trim() -> Bool {
        let free = allocator.freeBytes()
        guard free > Self.tolerated else { return false }
        if let resident = allocator.residentBytes() {
            let now = Figures(free: free, resident: resident)
            let hasGrown = settled.withLock { settled in
                settled = Figures(free: min(settled.free, free), resident: min(settled.resident, resident))
                return now.hasGrown(since: settled)
            }
            guard hasGrown else { return false }
        }
        allocator.trim()
        guard let resident = allocator.residentBytes() else { return false }
        let after = Figures(free: allocator.freeBytes(), resident: resident)
        settled.withLock { $0 = after }
        return true
    }
}
