// Sendable: everything here belongs to the loop's thread; the reference itself may travel.
/// A pending call of a closure. Created by `EventLoop.schedule`.
public final class Timer: HeapTimer, @unchecked Sendable {
    let deadline: UInt64
    let order: UInt64
    var body: (() -> Void)?
    var position: Int?
    private let loop: EventLoop

    init(loop: EventLoop, deadline: UInt64, order: UInt64, body: @escaping () -> Void) {
        self.loop = loop
        self.deadline = deadline
        self.order = order
        self.body = body
    }

    /// Prevents the call and releases the closure at once. Does nothing after the call. O(log n). Loop thread only.
    public func cancel() {
        loop.checkThread()
        loop.timers.remove(self)
    }
}
