import Dispatch
import Synchronization
import Testing
import TestSupport

@testable import RxPlatform

@Suite("Queues of the system", .ownThreads)
struct WorkQueueTests {
    private final class List: Sendable {
        private let entries = Mutex<[Int]>([])
        var all: [Int] { entries.withLock { $0 } }
        func add(_ entry: Int) { entries.withLock { $0.append(entry) } }
    }

    @Test("a serial queue runs its work in order, and sync after all that was added before")
    func order() {
        let queue = Queues.system.serial("test")
        let list = List()
        for entry in 0..<1000 { queue.async { list.add(entry) } }
        #expect(queue.sync { list.all } == Array(0..<1000))
    }

    @Test("sync throws what its argument throws")
    func throwing() {
        struct Failure: Error {}
        #expect(throws: Failure.self) { try Queues.system.serial("test").sync { throw Failure() } }
    }

    @Test("a timer fires once, not before its time")
    func once() {
        let queue = Queues.system.serial("test")
        let fired = DispatchSemaphore(value: 0)
        let clock = MonotonicClock.system
        let start = clock.now
        queue.async(after: .milliseconds(20)) { fired.signal() }
        fired.wait()
        #expect(clock.now - start >= .milliseconds(20))
        #expect(fired.wait(timeout: .now() + .milliseconds(60)) == .timedOut)
    }

    @Test("a timer with a period fires until it is canceled")
    func periodic() {
        let queue = Queues.system.serial("test")
        let fired = DispatchSemaphore(value: 0)
        let timer = queue.timer(after: .zero, every: .milliseconds(2), leeway: .zero) { fired.signal() }
        for _ in 0..<3 { fired.wait() }
        timer.cancel()
        queue.sync {}
        while fired.wait(timeout: .now()) == .success {}
        #expect(fired.wait(timeout: .now() + .milliseconds(50)) == .timedOut)
    }

    @Test("a canceled timer releases its work")
    func canceled() {
        final class Object: Sendable {}
        weak var object: Object?
        let queue = Queues.system.serial("test")
        do {
            let kept = Object()
            object = kept
            queue.async(after: .seconds(86_400)) { withExtendedLifetime(kept) {} }.cancel()
        }
        let deadline = MonotonicClock.system.now + .seconds(60)
        while object != nil, MonotonicClock.system.now < deadline { queue.sync {} }
        #expect(object == nil)
    }
}
