import Glibc
import Testing

@testable import RxLoop

@Suite("PostedWork")
struct PostedWorkTests {
    @Test("the eventfd is written only when the loop may be asleep, and once")
    func wakeUps() throws {
        let posted = try PostedWork()
        var count: UInt64 = 0
        for _ in 0..<100 { posted.post {} }
        #expect(read(posted.eventfd, &count, 8) == -1, "awake: nothing to do")
        #expect(!posted.mayFallAsleep(), "bodies wait")
        posted.run()
        #expect(posted.mayFallAsleep())
        for _ in 0..<100 { posted.post {} }
        #expect(read(posted.eventfd, &count, 8) == 8)
        #expect(count == 1)
    }
}
