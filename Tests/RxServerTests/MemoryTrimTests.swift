import Glibc
import Rx
import RxLoop
import RxPlatform
import Testing
import TestSupport

@testable import RxServer

@Suite("Memory", .ownThreads)
struct MemoryTrimTests {
    /// Runs everything at once, on the thread that adds it.
    private final class Inline: WorkQueue, @unchecked Sendable {
        override func async(_ body: @escaping @Sendable () -> Void) { body() }
    }

    @Test("is given back some time after much was freed, once, and only if the allocator keeps much of it")
    func trims() throws {
        let loop = try EventLoop()
        let (free, trims, looks) = (Locked(0), Locked(0), Locked(0))
        let memory = MemoryTrim(
            loop: loop, queue: Inline(),
            allocator: Allocator(
                freeBytes: {
                    looks.withLock { $0 += 1 }
                    return free.withLock { $0 }
                }, residentBytes: { nil }, trim: { trims.withLock { $0 += 1 } }))
        loop.start(name: "test")
        func onLoop(_ body: @escaping @Sendable (MemoryTrim) -> Void) {
            let memory = LoopConfined(memory)
            loop.execute { body(memory.value) }
        }
        onLoop { $0.freed(MemoryTrim.leastFreed - 1) }
        onLoop { memory in
            memory.freed(1)
            memory.freed(1 << 30)
        }
        #expect(eventuallyBlocking { looks.withLock { $0 } == 1 })
        #expect(trims.withLock { $0 } == 0)
        free.withLock { $0 = GrownMemory.tolerated + 1 }
        onLoop { $0.freed(MemoryTrim.leastFreed) }
        #expect(eventuallyBlocking { trims.withLock { $0 } == 1 })
        #expect(looks.withLock { $0 } == 2)
        loop.stop()
        loop.join()
    }

    @Test("that is freed later, without a report, is given back too; then it is left alone")
    func again() throws {
        let loop = try EventLoop()
        // What is resident: much, then what was freed meanwhile, then as much as before.
        let sizes = Locked([90, 20, 60, 20, 20].map { $0 << 20 })
        let (trims, looks) = (Locked(0), Locked(0))
        let memory = MemoryTrim(
            loop: loop, queue: Inline(),
            allocator: Allocator(
                freeBytes: { 100 << 20 },
                residentBytes: {
                    looks.withLock { $0 += 1 }
                    return sizes.withLock { $0.count > 1 ? $0.removeFirst() : $0[0] }
                }, trim: { trims.withLock { $0 += 1 } }))
        loop.start(name: "test")
        let confined = LoopConfined(memory)
        loop.execute { confined.value.freed(MemoryTrim.leastFreed) }
        // Two trims look before and after them, and one look finds nothing.
        #expect(eventuallyBlocking { looks.withLock { $0 } == 5 })
        #expect(trims.withLock { $0 } == 2)
        loop.stop()
        loop.join()
    }

    private func eventuallyBlocking(_ condition: () -> Bool) -> Bool {
        let deadline = ContinuousClock.now + .seconds(60)
        while !condition(), ContinuousClock.now < deadline { usleep(1000) }
        return condition()
    }
}
