import Synchronization
import Testing

@testable import RxPlatform

@Suite("Sharing cores")
struct CoresTests {
    /// A clock in nanoseconds, which a yield advances by what the others take.
    private final class Machine: Sendable {
        let time = Atomic<Int64>(0)
        let yields = Atomic<Int>(0)
        let othersTake = Atomic<Int64>(0)

        var cores: Cores {
            Cores(clock: MonotonicClock { [self] in .nanoseconds(time.load(ordering: .relaxed)) }) { [self] in
                yields.add(1, ordering: .relaxed)
                time.add(othersTake.load(ordering: .relaxed), ordering: .relaxed)
            }
        }

        /// Works for a time, in pieces of a microsecond.
        func work(_ cores: Cores, microseconds: Int) -> Int {
            let before = yields.load(ordering: .relaxed)
            for _ in 0..<microseconds {
                cores.yieldIfDue()
                time.add(1_000, ordering: .relaxed)
            }
            return yields.load(ordering: .relaxed) - before
        }
    }

    @Test(
        "long work yields once in each interval, also where others take a little each time",
        arguments: [.zero, Cores.longYield])
    func intervals(_ taken: Duration) {
        let machine = Machine()
        machine.othersTake.store(Int64(taken / .nanoseconds(1)), ordering: .relaxed)
        let interval = Int(Cores.interval / .microseconds(1))
        #expect(machine.work(machine.cores, microseconds: 100 * interval) == 100)
    }

    @Test("where others keep the cores busy, yielding costs a tenth of the time")
    func long() {
        let machine = Machine()
        let cores = machine.cores
        machine.othersTake.store(4_000_000, ordering: .relaxed)
        #expect(machine.work(cores, microseconds: 40_000) == 1)
        #expect(machine.work(cores, microseconds: 400_000) == 10)
        // They have left.
        machine.othersTake.store(0, ordering: .relaxed)
        let interval = Int(Cores.interval / .microseconds(1))
        _ = machine.work(cores, microseconds: 40_000)
        #expect(machine.work(cores, microseconds: 100 * interval) == 100)
    }
}
