import Rx
import RxPlatform
import Testing

@testable import RxServer

@Suite("Free memory")
struct GrownMemoryTests {
    /// The figures of an allocator. A trim leaves what is free as it is, as glibc's does, and sets what is resident to
    /// `afterTrim`.
    private struct Figures {
        var free = 80 << 20
        var resident: Int?
        var afterTrim = 20 << 20
        var trims = 0
    }

    private let figures = Locked(Figures())

    /// Trims if that is due.
    ///
    /// - Parameter resident: the memory of the process before that.
    /// - Returns: the number of trims so far.
    private func trims(_ memory: GrownMemory, at resident: Int?) -> Int {
        figures.withLock { $0.resident = resident }
        memory.trim()
        return figures.withLock { $0.trims }
    }

    private func memory() -> GrownMemory {
        GrownMemory(
            Allocator(
                freeBytes: { [figures] in figures.withLock { $0.free } },
                residentBytes: { [figures] in figures.withLock { $0.resident } },
                trim: { [figures] in
                    figures.withLock {
                        $0.trims += 1
                        if $0.resident != nil { $0.resident = $0.afterTrim }
                    }
                }))
    }

    @Test("is given back again when the process has grown since, and only then, whatever counts as free")
    func again() {
        let memory = memory()
        #expect(trims(memory, at: 100 << 20) == 1)
        #expect(trims(memory, at: 20 << 20) == 1, "there is nothing to give back")
        #expect(trims(memory, at: 20 << 20 + GrownMemory.tolerated) == 1)
        #expect(trims(memory, at: 100 << 20) == 2, "the same memory was used and freed once more")
    }

    @Test("is not searched again and again while most of the memory is in use")
    func inUse() {
        let memory = memory()
        figures.withLock { $0.afterTrim = 90 << 20 }
        #expect(trims(memory, at: 100 << 20) == 1)
        #expect(trims(memory, at: 90 << 20) == 1)
        // Some of it came to an end without a trim, so that less is the measure from here on.
        #expect(trims(memory, at: 30 << 20) == 1)
        #expect(trims(memory, at: 40 << 20) == 2)
    }

    @Test("that was in use during a trim is given back when it is free")
    func freedLater() {
        let memory = memory()
        figures.withLock { ($0.free, $0.afterTrim) = (10 << 20, 90 << 20) }
        #expect(trims(memory, at: 100 << 20) == 1)
        // The allocator keeps what is freed, so the process does not shrink.
        figures.withLock { ($0.free, $0.afterTrim) = (80 << 20, 20 << 20) }
        #expect(trims(memory, at: 90 << 20) == 2)
        #expect(trims(memory, at: 20 << 20) == 2, "there is nothing to give back")
    }

    @Test("is given back if the size of the process is unknown, and never if there is little of it")
    func unknown() {
        let memory = memory()
        #expect(trims(memory, at: nil) == 1)
        #expect(trims(memory, at: nil) == 2)
        figures.withLock { $0.free = GrownMemory.tolerated }
        #expect(trims(memory, at: nil) == 2)
        #expect(trims(memory, at: 100 << 20) == 2)
    }

    @Test("of this process: its size is known, and grows with what it uses")
    func system() throws {
        let before = try #require(Allocator.system.residentBytes())
        let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: 256 << 20, alignment: 16)
        bytes.initializeMemory(as: UInt8.self, repeating: 1)
        let after = try #require(Allocator.system.residentBytes())
        #expect(before > 0 && after > before + 128 << 20)
        bytes.deallocate()
    }
}
