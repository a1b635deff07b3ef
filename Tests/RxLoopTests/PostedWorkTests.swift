import Testing

@testable import RxLoop

@Suite("PostedWork")
struct PostedWorkTests {
    @Test("the kernel is woken only when the loop may be asleep, and once")
    func wakeUps() throws {
        let kernel = try SimulatedKernel()
        let posted = PostedWork(kernel)
        let share = LoopShare()
        for _ in 0..<100 { posted.post({}, to: share) }
        #expect(kernel.wakes == 0, "awake: nothing to do")
        #expect(!posted.mayFallAsleep(), "bodies wait")
        posted.collect { _ in }
        #expect(posted.mayFallAsleep())
        for _ in 0..<100 { posted.post({}, to: share) }
        #expect(kernel.wakes == 1)
    }
}
