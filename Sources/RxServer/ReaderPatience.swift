internal import RxLoop

/// Notices a reader that takes next to nothing while it holds back work.
final class ReaderPatience {
    /// Bytes that a reader has to take within the limit: a few thousand a second.
    static let leastBytes: UInt64 = 65_536

    private let limit: Duration
    private let loop: EventLoop
    /// Bytes that the reader has taken so far.
    @exclusivity(unchecked) private var taken: UInt64 = 0
    private var isWaiting = false

    /// - Parameter limit: the time within which a reader has to take `leastBytes`.
    init(_ limit: Duration, on loop: EventLoop) {
        self.limit = limit
        self.loop = loop
    }

    func didTake(_ bytes: Int) {
        taken &+= UInt64(bytes)
    }

    /// Waits once, unless it waits already; then calls `body` with whether the reader has taken enough meanwhile.
    func begin(_ body: @escaping (_ isReading: Bool) -> Void) {
        guard !isWaiting else { return }
        isWaiting = true
        let before = taken
        loop.schedule(after: limit) { [self] in
            isWaiting = false
            body(taken &- before >= Self.leastBytes)
        }
    }
}
