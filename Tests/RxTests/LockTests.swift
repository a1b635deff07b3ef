import Glibc
import Rx
import Synchronization
import TestSupport
import Testing

@Suite("A lock", .ownThreads)
struct LockTests {
    /// What a lock protects.
    private final class Guarded: @unchecked Sendable {
        let lock = Lock()
        var count = 0
        /// The threads within the lock.
        let within = Atomic(0)
        let overlaps = Atomic(0)
    }

    @Test(
        "lets one thread in at a time, and each that waits comes in, whether it sleeps or not", arguments: [2, 8, 60])
    func threads(_ threads: Int) async {
        let guarded = Guarded()
        let each = 20_000 / threads
        await withTaskGroup(of: Void.self) { group in
            for thread in 0..<threads {
                group.addTask {
                    for round in 0..<each {
                        guarded.lock.withLock {
                            if guarded.within.wrappingAdd(1, ordering: .relaxed).oldValue != 0 {
                                guarded.overlaps.wrappingAdd(1, ordering: .relaxed)
                            }
                            guarded.count += 1
                            // Others run, and have to sleep.
                            if (thread + round) % 8 == 0 { sched_yield() }
                            guarded.within.wrappingSubtract(1, ordering: .relaxed)
                        }
                    }
                }
            }
        }
        #expect(guarded.count == threads * each)
        #expect(guarded.overlaps.load(ordering: .relaxed) == 0)
    }
}
