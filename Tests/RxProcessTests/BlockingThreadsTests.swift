import Dispatch
import Rx
import RxPlatform
import Testing
import TestSupport

@testable import RxProcess

@Suite("Threads for work that may block", .ownThreads)
struct BlockingThreadsTests {
    private struct Counts {
        var now = 0
        var most = 0
        var done = 0
    }

    @Test("run as many pieces at a time as they may, and the others when one of those has ended")
    func limit() async {
        let threads = BlockingThreads(.system, most: 3)
        let gate = DispatchSemaphore(value: 0)
        let counts = Locked(Counts())
        for _ in 0..<10 {
            threads.run {
                counts.withLock { counts in
                    counts.now += 1
                    counts.most = max(counts.most, counts.now)
                }
                gate.wait()
                counts.withLock { counts in
                    counts.now -= 1
                    counts.done += 1
                }
            }
        }
        #expect(await eventually { counts.withLock { $0.now == 3 } })
        #expect(counts.withLock { $0.done } == 0)
        for _ in 0..<10 { gate.signal() }
        #expect(await eventually { counts.withLock { $0.done == 10 } })
        #expect(counts.withLock { $0.most } == 3)
    }

    @Test("leave the threads of tasks alone, however many are blocked")
    func tasks() async {
        let threads = BlockingThreads(.system)
        let gate = DispatchSemaphore(value: 0)
        for _ in 0..<(2 * BlockingThreads.most) { threads.run { gate.wait() } }
        // It would never end if they had the threads on which it runs.
        #expect(await Task.detached { 1 }.value == 1)
        for _ in 0..<(2 * BlockingThreads.most) { gate.signal() }
    }
}
