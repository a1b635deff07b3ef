import Testing

@testable import RxLoop

@Suite("PostedWork")
struct PostedWorkTests {
    @Test("the kernel is woken only when the loop may be asleep, and once")
    func wakeUps() throws {
        let kernel = try SimulatedKernel()
        let posted = PostedWork(kernel)
        for _ in 0..<100 { posted.post {} }
        #expect(kernel.wakes == 0, "awake: nothing to do")
        #expect(!posted.mayFallAsleep(), "bodies wait")
        posted.run()
        #expect(posted.mayFallAsleep())
        for _ in 0..<100 { posted.post {} }
        #expect(kernel.wakes == 1)
    }
}
