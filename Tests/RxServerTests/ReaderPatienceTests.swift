import TestSupport
import Testing

@testable import RxLoop
@testable import RxServer

@Suite("The patience with a reader", .ownThreads)
struct ReaderPatienceTests {
    /// A kernel in which nothing becomes ready, and the test decides what time it is.
    // Unchecked: used on the thread of one test.
    private final class StillKernel: LoopKernel, @unchecked Sendable {
        var time: UInt64 = 0
        override var now: UInt64 { time }
        override func add(_ fd: Int32, _ interest: Interest, key: UInt64) -> Int32 { 0 }
        override func modify(_ fd: Int32, _ interest: Interest, key: UInt64) {}
        override func remove(_ fd: Int32) {}
        override func wait(nanoseconds: Int64) -> Int { 0 }
        override func wake() {}
    }

    @Test("ends if less than 64 KiB are taken within the limit, however steadily")
    func rate() throws {
        let kernel = try StillKernel()
        let loop = EventLoop(kernel: kernel)
        let patience = ReaderPatience(.seconds(10), on: loop)
        for (bytes, isReading) in [(65_536, true), (65_535, false), (10, false), (0, false), (1 << 20, true)] {
            var answers: [Bool] = []
            patience.begin { answers.append($0) }
            patience.begin { _ in Issue.record("it waits already") }
            for second in 1...10 {
                #expect(answers.isEmpty)
                patience.didTake(second < 10 ? bytes / 10 : bytes - bytes / 10 * 9)
                kernel.time += 1_000_000_000
                loop.takeTurn()
            }
            #expect(answers == [isReading], "\(bytes) bytes")
        }
    }
}
