import RxLoop
import RxPlatform
import RxTime
import Synchronization
import TestSupport
import Testing

@testable import RxSources

@Suite("The system's clock", .ownThreads)
struct SystemAlarmClockTests {
    private let loop: EventLoop
    private let clock: SystemAlarmClock
    private let queue = Queues.system.serial("rxd.test.alarms")
    private let calls = Calls()

    private final class Calls: Sendable {
        private let list = Mutex<[(number: Int, late: Int64)]>([])
        var numbers: [Int] { list.withLock { $0.map(\.number) } }
        var lateness: [Int64] { list.withLock { $0.map(\.late) } }
        func add(_ number: Int, _ late: Int64) { list.withLock { $0.append((number, late)) } }
    }

    init() throws {
        loop = try EventLoop()
        clock = try SystemAlarmClock(loop: loop)
        loop.start(name: "test-alarms")
    }

    private func stop() {
        loop.stop()
        loop.join()
    }

    @discardableResult
    private func schedule(_ number: Int, at instant: Instant) -> Alarm {
        clock.schedule(at: instant, on: queue) { [clock, calls] in
            calls.add(number, clock.now.microseconds - instant.microseconds)
        }
    }

    @Test("calls alarms in the order of their instants, whatever the order in which they were set, and none early")
    func order() async {
        // On the loop, which calls none before all are set, however long that takes.
        loop.execute {
            let start = clock.now
            for number in [5, 3, 9, 1, 7, 0, 8, 2, 6, 4] {
                schedule(number, at: start.adding(microseconds: Int64(number) * 2_000 + 10_000))
            }
        }
        #expect(await eventually { calls.numbers.count == 10 })
        #expect(calls.numbers == Array(0..<10))
        #expect(calls.lateness.allSatisfy { $0 >= 0 })
        stop()
    }

    @Test("calls what is in the past at once, and what was canceled not at all")
    func past() async {
        loop.execute {
            clock.cancel(schedule(1, at: clock.now.adding(microseconds: 5_000)))
            schedule(2, at: clock.now.adding(microseconds: 10_000))
            schedule(3, at: .beginning)
        }
        #expect(await eventually { calls.numbers.count == 2 })
        #expect(calls.numbers == [3, 2])
        stop()
    }

    @Test("calls each of many alarms that several threads set and cancel once")
    func threads() async {
        let start = clock.now
        await withTaskGroup(of: Void.self) { group in
            for thread in 0..<4 {
                group.addTask {
                    for number in 0..<500 {
                        let alarm = schedule(thread * 500 + number, at: start.adding(microseconds: Int64(number * 40)))
                        if number % 5 == 4 { clock.cancel(schedule(-1, at: start.adding(microseconds: 60_000_000))) }
                        if number < 0 { clock.cancel(alarm) }
                    }
                }
            }
        }
        #expect(await eventually { calls.numbers.count == 2000 })
        #expect(Set(calls.numbers) == Set(0..<2000))
        stop()
    }

    @Test("calls those who want to know that it was set, before the alarms that are due")
    func observers() async {
        let observer = clock.observeChanges(on: queue) { [calls] in calls.add(-1, 0) }
        let removed = clock.observeChanges(on: queue) { [calls] in calls.add(-2, 0) }
        clock.remove(removed)
        loop.execute {
            schedule(1, at: .beginning)
            clock.turn(wasSet: true)
        }
        #expect(await eventually { calls.numbers.count == 2 })
        #expect(calls.numbers == [-1, 1])
        clock.remove(observer)
        stop()
    }

    @Test("measures time that passes on a clock that no one sets")
    func elapsed() {
        let first = clock.elapsed
        #expect(clock.elapsed >= first)
        #expect(abs(clock.now.microseconds / 1000 - WallClock.system.milliseconds) < 60_000)
        stop()
    }
}
