/// Something that closures hold.
final class Held: Sendable {
    private let onRelease: (@Sendable () -> Void)?

    init(onRelease: (@Sendable () -> Void)? = nil) {
        self.onRelease = onRelease
    }

    deinit { onRelease?() }

    func use() {}
}

/// How a subscription ends.
enum Ending: CaseIterable {
    case completed
    case failed
    case disposed
    /// From within a delivery, by the closure that receives the element.
    case disposedWithin
}
