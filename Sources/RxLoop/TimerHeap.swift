/// A timer as its heap uses it. Only the heap sets `body` and `position`.
protocol HeapTimer: AnyObject {
    /// The time of the call on the kernel's clock.
    var deadline: UInt64 { get }
    /// Timers with equal deadlines are called in ascending order.
    var order: UInt64 { get }
    /// The closure to call; nil once called or canceled.
    var body: (() -> Void)? { get set }
    /// The position in the heap; nil once called or canceled.
    var position: Int? { get set }
}

/// A binary heap of timers that store their positions, so canceling needs no search. Equal deadlines keep the order in
/// which they were set.
///
/// Generic so that it does not depend on the loop that a timer belongs to; the optimizer specializes it.
struct TimerHeap<Timer: HeapTimer> {
    private var timers: [Timer] = []

    var first: Timer? { timers.first }

    mutating func insert(_ timer: Timer) {
        timers.append(timer)
        rise(from: timers.count - 1)
    }

    /// Removes a timer, if it is in the heap, and returns its body. The caller releases the body, and with it objects
    /// that may use the heap.
    mutating func remove(_ timer: Timer) -> (() -> Void)? {
        let body = timer.body
        timer.body = nil
        guard let hole = timer.position else { return body }
        timer.position = nil
        let last = timers.removeLast()
        guard last !== timer else { return body }
        place(last, at: hole)
        rise(from: hole)
        sink(from: hole)
        return body
    }

    /// Removes the first timer due at `now` and returns its body.
    mutating func removeDue(at now: UInt64) -> (() -> Void)? {
        guard let first = timers.first, first.deadline <= now else { return nil }
        return remove(first)
    }

    private static func precedes(_ a: Timer, _ b: Timer) -> Bool {
        (a.deadline, a.order) < (b.deadline, b.order)
    }

    private mutating func place(_ timer: Timer, at index: Int) {
        timers[index] = timer
        timer.position = index
    }

    private mutating func rise(from start: Int) {
        let timer = timers[start]
        var index = start
        while index > 0, case let parent = (index - 1) / 2, Self.precedes(timer, timers[parent]) {
            place(timers[parent], at: index)
            index = parent
        }
        place(timer, at: index)
    }

    private mutating func sink(from start: Int) {
        let timer = timers[start]
        var index = start
        while case var child = 2 * index + 1, child < timers.count {
            if child + 1 < timers.count, Self.precedes(timers[child + 1], timers[child]) { child += 1 }
            guard Self.precedes(timers[child], timer) else { break }
            place(timers[child], at: index)
            index = child
        }
        place(timer, at: index)
    }
}

extension Duration {
    /// Whole nanoseconds, rounded up and never negative; saturates at the maximum.
    var nanosecondsRoundedUp: UInt64 {
        guard self > .zero else { return 0 }
        let (seconds, attoseconds) = components
        let (whole, overflow) = UInt64(seconds).multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, carry) = whole.addingReportingOverflow((UInt64(attoseconds) + 999_999_999) / 1_000_000_000)
        return overflow || carry ? .max : sum
    }
}
