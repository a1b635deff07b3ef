import TestSupport
import Testing

@testable import RxLoop

/// A whole loop on the test's own thread: no thread, no descriptor, and no real time.
@Suite("A simulated loop", .ownThreads)
struct SimulatedLoopTests {
    private let kernel: SimulatedKernel
    private let loop: EventLoop

    init() throws {
        kernel = try SimulatedKernel()
        loop = EventLoop(kernel: kernel)
    }

    @Test("timers fire in the order of their deadlines, when the test's clock has come there")
    func timers() {
        var fired: [Int] = []
        for hours in [3, 1, 2, 1] { loop.schedule(after: .seconds(3600 * hours)) { fired.append(hours) } }
        loop.takeTurn()
        #expect(fired.isEmpty)
        #expect(kernel.wantedWait == 3_600_000_000_000)
        kernel.advance(by: .seconds(3600) - .nanoseconds(1))
        loop.takeTurn()
        #expect(fired.isEmpty)
        #expect(kernel.wantedWait == 1)
        kernel.advance(by: .nanoseconds(1))
        loop.takeTurn()
        #expect(fired == [1, 1])
        kernel.advance(by: .seconds(7200))
        loop.takeTurn()
        #expect(fired == [1, 1, 2, 3])
        loop.takeTurn()
        #expect(kernel.wantedWait == -1, "nothing is left to wait for")
    }

    @Test("posted bodies run in order, on the loop; one that arrives while the loop sleeps wakes it")
    func posting() {
        let seen = Shared<[String]>([])
        func post(_ name: String) {
            loop.execute { [loop] in seen.change { $0.append(loop.isOnLoop ? name : "elsewhere") } }
        }
        post("a")
        post("b")
        #expect(seen().isEmpty)
        loop.takeTurn()
        #expect(seen() == ["a", "b"])
        #expect(kernel.wakes == 0, "the loop was awake")
        kernel.onWait = {
            post("c")
            post("d")
        }
        loop.takeTurn()
        #expect(seen() == ["a", "b", "c", "d"])
        #expect(kernel.wakes == 1)
        #expect(!loop.isOnLoop)
    }

    @Test("a turn reports that the loop was stopped, once")
    func stopping() {
        #expect(loop.takeTurn())
        loop.stop()
        #expect(!loop.takeTurn())
        #expect(loop.takeTurn())
    }

    @Test("sources are ready when the test makes them so, for what they wait for")
    func sources() throws {
        var seen: [Readiness] = []
        let watch = try loop.watch(fd: 7, .readable) { seen.append($0) }
        #expect(kernel.descriptors == [7])
        loop.takeTurn()
        #expect(seen.isEmpty)
        kernel.makeReady(7, [.readable, .writable])
        loop.takeTurn()
        #expect(seen == [.readable])
        watch.interest = .writable
        kernel.makeReady(7, .readable)
        loop.takeTurn()
        #expect(seen == [.readable])
        kernel.makeReady(7, [.writable, .hangUp])
        loop.takeTurn()
        #expect(seen == [.readable, [.writable, .hangUp]])
        watch.cancel()
        #expect(kernel.descriptors.isEmpty)
    }
}
