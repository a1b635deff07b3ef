import TestSupport
import Testing

@testable import RxLoop

@Suite("TimerHeap", .ownThreads)
struct TimerHeapTests {
    private let loop: EventLoop

    init() throws { loop = try EventLoop() }

    @Test("timers fire in the order of their deadlines, equal ones as they were set, never early")
    func order() throws {
        let start = SuspendingClock.now
        var fired: [Int] = []
        var early = 0
        var timers: [RxLoop.Timer] = []
        let delays = [30, 10, 20, 0, 10]
        for milliseconds in delays {
            let timer = loop.schedule(after: .milliseconds(milliseconds)) {
                fired.append(milliseconds)
                if SuspendingClock.now - start < .milliseconds(milliseconds) { early += 1 }
            }
            timers.append(timer)
        }
        #expect(loop.turn(until: { fired.count == 5 }))
        // 0, 10, 10, 20, 30, unless as much time passes between two of the calls.
        let inOrder = zip(delays, timers).sorted { ($0.1.deadline, $0.1.order) < ($1.1.deadline, $1.1.order) }
        #expect(fired == inOrder.map(\.0))
        #expect(early == 0)
    }

    @Test("the wait is as long as the first timer, to the nanosecond and no shorter")
    func waiting() throws {
        var fired = 0
        for microseconds in [150, 700, 1100] {
            let start = SuspendingClock.now
            loop.schedule(after: .microseconds(microseconds)) { fired += 1 }
            let (turns, before) = (loop.turns, fired)
            while fired == before { loop.turn(waitingAtMost: nil) }
            #expect(SuspendingClock.now - start >= .microseconds(microseconds))
            #expect(loop.turns - turns <= 2, "waits instead of turning")
        }
    }

    @Test("a canceled timer never fires, and gives back its body at once")
    func cancelling() throws {
        final class Token {}
        weak var held: Token?
        var fired: [Int] = []
        let timer: RxLoop.Timer = {
            let token = Token()
            held = token
            return loop.schedule(after: .milliseconds(1)) { _ = token }
        }()
        #expect(held != nil)
        loop.schedule(after: .milliseconds(2)) { fired.append(2) }
        timer.cancel()
        #expect(held == nil)
        timer.cancel()
        #expect(loop.turn(until: { fired == [2] }))
    }

    @Test("giving back a body may cancel another timer")
    func cancellingByRelease() throws {
        final class Owner {
            let timer: RxLoop.Timer

            init(_ timer: RxLoop.Timer) { self.timer = timer }

            deinit { timer.cancel() }
        }
        var fired: [Int] = []
        loop.schedule(after: .milliseconds(2)) { fired.append(2) }
        let other = loop.schedule(after: .milliseconds(1)) { fired.append(1) }
        let timer = {
            let owner = Owner(other)
            return loop.schedule(after: .zero) { _ = owner }
        }()
        timer.cancel()
        #expect(loop.turn(until: { fired == [2] }))
    }

    @Test("a body may cancel a timer that is due in the same turn, and itself")
    func cancelInside() throws {
        var (fired, timers) = ([Int](), [RxLoop.Timer]())
        for index in 0..<3 {
            timers.append(
                loop.schedule(after: .zero) {
                    fired.append(index)
                    timers[index].cancel()
                    timers[1].cancel()
                })
        }
        #expect(loop.turn(until: { fired.count == 2 }))
        loop.turn()
        #expect(fired == [0, 2])
        timers = []
    }

    @Test("a timer set by a timer fires in a later turn, even with no delay")
    func repeating() throws {
        var count = 0
        func again() {
            count += 1
            loop.schedule(after: .zero, again)
        }
        loop.schedule(after: .zero, again)
        loop.turn(waitingAtMost: nil)
        #expect(count == 1)
        loop.turn(waitingAtMost: nil)
        #expect(count == 2)
    }

    @Test("the heap yields what a sorted list would, whatever is canceled")
    func model() throws {
        var random = SystemRandomNumberGenerator()
        for _ in 0..<50 {
            var heap = TimerHeap<RxLoop.Timer>()
            var fired: [UInt64] = []
            var timers = (0..<UInt64.random(in: 1...60, using: &random)).map { order in
                RxLoop.Timer(loop: loop, deadline: .random(in: 0..<20, using: &random), order: order) {
                    fired.append(order)
                }
            }
            for timer in timers { heap.insert(timer) }
            for _ in 0..<Int.random(in: 0...timers.count, using: &random) {
                _ = heap.remove(timers.remove(at: .random(in: 0..<timers.count, using: &random)))
                if timers.isEmpty { break }
            }
            let now = UInt64.random(in: 0..<25, using: &random)
            while let body = heap.removeDue(at: now) { body() }
            let due = timers.filter { $0.deadline <= now }.sorted { ($0.deadline, $0.order) < ($1.deadline, $1.order) }
            #expect(fired == due.map(\.order))
        }
    }

    @Test("delays become whole nanoseconds, rounded up, never negative, never too large")
    func durations() {
        #expect(Duration.nanoseconds(1).nanosecondsRoundedUp == 1)
        #expect(Duration(secondsComponent: 1, attosecondsComponent: 1).nanosecondsRoundedUp == 1_000_000_001)
        #expect(Duration.seconds(-3).nanosecondsRoundedUp == 0)
        #expect(Duration.seconds(Int64.max).nanosecondsRoundedUp == .max)
    }

    @Test("a delay of for ever does not wrap around")
    func forever() throws {
        var fired = 0
        loop.schedule(after: .seconds(Int64.max)) { fired += 1 }
        loop.schedule(after: .milliseconds(1)) { fired += 10 }
        #expect(loop.turn(until: { fired > 0 }))
        loop.turn()
        #expect(fired == 10)
    }
}
