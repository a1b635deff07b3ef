import Dispatch
import FoundationEssentials
import Rx
import Testing
import TestSupport

@Suite("Virtual time", .leakFree)
struct VirtualTimeTests {
    private let log = Locked<[String]>([])

    private func note(_ text: String) { log.withLock { $0.append(text) } }

    private func schedule(_ scheduler: Minutes, _ time: Int, _ text: String) -> any Disposable {
        scheduler.scheduleAbsoluteVirtual(text, time: time) { [self] text in
            note("\(text)@\(scheduler.clock)")
            return Disposables.create()
        }
    }

    @Test("actions run in the order of their times, those of one time in the order of scheduling")
    func order() {
        let scheduler = Minutes()
        let times = [5, 1, 3, 1, 5, 2, 1, 4, 3]
        for (index, time) in times.enumerated() { _ = schedule(scheduler, time, "\(index)") }
        scheduler.start()
        #expect(log.withLock { $0 } == ["1@1", "3@1", "6@1", "5@2", "2@3", "8@3", "7@4", "0@5", "4@5"])
        #expect(scheduler.clock == 5)
    }

    @Test("thousands of actions keep the order")
    func manyInOrder() {
        let scheduler = Minutes()
        let ran = Locked<[(Int, Int)]>([])
        var state: UInt64 = 42
        for index in 0..<5_000 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            let time = Int(state >> 58)
            _ = scheduler.scheduleAbsoluteVirtual((time, index), time: time) { item in
                ran.withLock { $0.append(item) }
                return Disposables.create()
            }
        }
        scheduler.start()
        let result = ran.withLock { $0 }
        #expect(result.count == 5_000)
        #expect(zip(result, result.dropFirst()).allSatisfy { $0 < $1 })
    }

    @Test("what is disposed before its time does not run, and lets go of what it holds at once")
    func disposed() {
        let scheduler = Minutes()
        let kept = schedule(scheduler, 3, "kept"), dropped = schedule(scheduler, 2, "dropped")
        weak var held: Locked<Int>?
        let holding: any Disposable = {
            let object = Locked(0)
            held = object
            return scheduler.scheduleAbsoluteVirtual((), time: 9) { _ in
                object.withLock { $0 += 1 }
                return Disposables.create()
            }
        }()
        #expect(held != nil)
        dropped.dispose()
        holding.dispose()
        #expect(held == nil)
        _ = schedule(scheduler, 1, "first")
        scheduler.start()
        #expect(log.withLock { $0 } == ["first@1", "kept@3"])
        #expect(scheduler.clock == 3)
        kept.dispose()
    }

    @Test("disposing after the action ran disposes what it returned")
    func disposedLater() {
        let scheduler = Minutes()
        let item = scheduler.scheduleAbsoluteVirtual((), time: 1) { [self] _ in
            Disposables.create { note("disposed") }
        }
        scheduler.start()
        #expect(log.withLock { $0 } == [])
        item.dispose()
        #expect(log.withLock { $0 } == ["disposed"])
    }

    @Test("an action that disposes itself while it runs has its result disposed")
    func disposesItself() {
        let scheduler = Minutes()
        let item = SingleAssignmentDisposable()
        item.setDisposable(
            scheduler.scheduleAbsoluteVirtual((), time: 1) { [self] _ in
                item.dispose()
                return Disposables.create { note("disposed") }
            })
        scheduler.start()
        #expect(log.withLock { $0 } == ["disposed"])
    }

    @Test("what an action schedules runs in the same run, at its time, in the past at once")
    func nested() {
        let scheduler = Minutes()
        _ = scheduler.scheduleAbsoluteVirtual((), time: 10) { [self] _ in
            _ = schedule(scheduler, 12, "later")
            _ = schedule(scheduler, 10, "now")
            _ = schedule(scheduler, 5, "past")
            _ = scheduler.scheduleRelativeVirtual((), dueTime: 1) { [self] _ in
                note("relative@\(scheduler.clock)")
                return Disposables.create()
            }
            return Disposables.create()
        }
        _ = schedule(scheduler, 10, "second")
        scheduler.start()
        #expect(log.withLock { $0 } == ["past@10", "second@10", "now@10", "relative@11", "later@12"])
    }

    @Test("advanceTo runs what is due by then and leaves the clock there")
    func advance() {
        let scheduler = Minutes()
        for time in [1, 5, 6] { _ = schedule(scheduler, time, "a") }
        scheduler.advanceTo(5)
        #expect(log.withLock { $0 } == ["a@1", "a@5"])
        #expect(scheduler.clock == 5)
        scheduler.advanceTo(5)
        scheduler.advanceTo(20)
        #expect(log.withLock { $0 } == ["a@1", "a@5", "a@6"])
        #expect(scheduler.clock == 20)
    }

    @Test("the clock does not go back")
    func backwards() async {
        await #expect(processExitsWith: .failure) { Minutes(at: 5).advanceTo(4) }
        await #expect(processExitsWith: .failure) { Minutes(at: 5).sleep(-1) }
        await #expect(processExitsWith: .success) {
            Minutes(at: 5).advanceTo(5)
            Minutes(at: 5).sleep(0)
        }
    }

    @Test("advanceTo is not for use within a run")
    func advanceWithin() async {
        await #expect(processExitsWith: .failure) {
            let scheduler = Minutes()
            _ = scheduler.scheduleAbsoluteVirtual((), time: 1) { _ in
                scheduler.advanceTo(2)
                return Disposables.create()
            }
            scheduler.start()
        }
    }

    @Test("sleep lets time pass without running anything")
    func sleep() {
        let scheduler = Minutes()
        _ = schedule(scheduler, 3, "a")
        scheduler.sleep(10)
        #expect(scheduler.clock == 10)
        #expect(log.withLock { $0 } == [])
        scheduler.start()
        #expect(log.withLock { $0 } == ["a@10"])
    }

    @Test("stop ends the run after the action that runs, and start goes on")
    func stop() {
        let scheduler = Minutes()
        _ = schedule(scheduler, 1, "a")
        _ = scheduler.scheduleAbsoluteVirtual((), time: 2) { _ in
            scheduler.stop()
            return Disposables.create()
        }
        _ = schedule(scheduler, 2, "b")
        _ = schedule(scheduler, 3, "c")
        scheduler.start()
        #expect(log.withLock { $0 } == ["a@1"])
        #expect(scheduler.clock == 2)
        scheduler.start()
        #expect(log.withLock { $0 } == ["a@1", "b@2", "c@3"])
    }

    @Test("stop without a run stops nothing; start within a run does nothing")
    func stopOutside() {
        let scheduler = Minutes()
        scheduler.stop()
        _ = scheduler.scheduleAbsoluteVirtual((), time: 1) { [self] _ in
            scheduler.start()
            note("a")
            return Disposables.create()
        }
        _ = schedule(scheduler, 2, "b")
        scheduler.start()
        #expect(log.withLock { $0 } == ["a", "b@2"])
    }

    @Test("spans of time are converted and rounded, never does not come")
    func relative() {
        let scheduler = Minutes(at: 10)
        for (due, name) in [
            (DispatchTimeInterval.seconds(120), "2"), (.seconds(89), "1"), (.never, "never"), (.seconds(-600), "past"),
            (.milliseconds(180_000), "3"),
        ] {
            _ = scheduler.scheduleRelative(name, dueTime: due) { [self] name in
                note("\(name)@\(scheduler.clock)")
                return Disposables.create()
            }
        }
        _ = scheduler.schedule("now") { [self] name in
            note("\(name)@\(scheduler.clock)")
            return Disposables.create()
        }
        scheduler.start()
        #expect(log.withLock { $0 } == ["past@10", "now@10", "1@11", "2@12", "3@13"])
        #expect(scheduler.now == Date(timeIntervalSince1970: 13 * 60))
    }

    @Test("a subclass decides where now lies")
    func adjusted() {
        let scheduler = Ceremonious()
        _ = scheduler.schedule(()) { [self] _ in
            note("@\(scheduler.clock)")
            return scheduler.scheduleRelative((), dueTime: .seconds(60)) { [self] _ in
                note("@\(scheduler.clock)")
                return Disposables.create()
            }
        }
        _ = schedule(scheduler, 3, "absolute")
        scheduler.start()
        #expect(log.withLock { $0 } == ["absolute@3", "@10", "@21"])
    }

    @Test("periodic work comes every period, its next turn before what it schedules for that time")
    func periodic() {
        let scheduler = Minutes()
        let timer = scheduler.schedulePeriodic(1, startAfter: .seconds(60), period: .seconds(120)) { [self] number in
            note("\(number)@\(scheduler.clock)")
            _ = schedule(scheduler, scheduler.clock + 2, "after \(number)")
            return number * 2
        }
        scheduler.advanceTo(5)
        timer.dispose()
        scheduler.start()
        #expect(
            log.withLock { $0 } == ["1@1", "2@3", "after 1@3", "4@5", "after 2@5", "after 4@7"])
    }

    @Test("very many steps take a run, not the stack")
    func manySteps() {
        let scheduler = Minutes()
        let count = Locked(0)
        _ = scheduler.scheduleRecursive(1) { number, again in
            count.withLock { $0 = number }
            if number < 200_000 { again(number + 1) }
        }
        scheduler.start()
        #expect(count.withLock { $0 } == 200_000)
    }

    @Test("interval and timer keep to the clock")
    func operators() {
        let scheduler = Minutes()
        let interval = Observable<Int>.interval(.seconds(120), scheduler: scheduler).take(3)
            .subscribe(onNext: { [self] in note("\($0)@\(scheduler.clock)") })
        let timer = Observable<Int>.timer(.seconds(300), scheduler: scheduler)
            .subscribe(onNext: { [self] in note("timer \($0)@\(scheduler.clock)") })
        scheduler.start()
        #expect(log.withLock { $0 } == ["0@2", "1@4", "timer 0@5", "2@6"])
        interval.dispose()
        timer.dispose()
    }

    @Test("work may be scheduled and disposed from other threads while it runs")
    func threads() async {
        let scheduler = Minutes()
        let ran = Locked(0), disposed = Locked(0)
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    for number in 0..<500 {
                        let item = scheduler.scheduleAbsoluteVirtual((), time: number % 7) { _ in
                            ran.withLock { $0 += 1 }
                            return Disposables.create()
                        }
                        if number % 5 == 0 {
                            item.dispose()
                            disposed.withLock { $0 += 1 }
                        }
                        if number % 50 == 0 { scheduler.start() }
                        _ = scheduler.debugDescription
                    }
                }
            }
        }
        scheduler.start()
        #expect(disposed.withLock { $0 } == 400)
        #expect((1_600...2_000).contains(ran.withLock { $0 }))
        #expect(scheduler.clock == 6)
    }

    @Test("its description has the clock and what is due")
    func description() {
        let scheduler = Minutes(at: 2)
        for time in [7, 3, 5] { _ = schedule(scheduler, time, "a") }
        schedule(scheduler, 4, "b").dispose()
        #expect(scheduler.debugDescription == "Minutes at 2, due: [3, 5, 7]")
        // What waits holds the scheduler.
        scheduler.start()
    }

    @Test("historical time is counted in dates")
    func historical() {
        let begin = Date(timeIntervalSince1970: 1_000)
        let scheduler = HistoricalScheduler(initialClock: begin)
        for time in [1_003.5, 1_001.25] {
            _ = scheduler.scheduleAbsoluteVirtual((), time: Date(timeIntervalSince1970: time)) { [self] _ in
                note("\(scheduler.now.timeIntervalSince1970)")
                return Disposables.create()
            }
        }
        _ = scheduler.scheduleRelative((), dueTime: .milliseconds(2_500)) { [self] _ in
            note("\(scheduler.clock.timeIntervalSince1970)")
            return Disposables.create()
        }
        scheduler.advanceTo(begin.addingTimeInterval(3))
        #expect(log.withLock { $0 } == ["1001.25", "1002.5"])
        #expect(scheduler.now == begin.addingTimeInterval(3))
        scheduler.sleep(2)
        scheduler.start()
        #expect(log.withLock { $0 } == ["1001.25", "1002.5", "1005.0"])
        #expect(HistoricalScheduler().clock == Date(timeIntervalSince1970: 0))
    }
}

/// Counts time in minutes since 1970.
private class Minutes: VirtualTimeScheduler<MinutesConverter>, @unchecked Sendable {
    // Unchecked: has no state of its own.
    init(at clock: Int = 0) {
        super.init(initialClock: clock, converter: MinutesConverter())
    }
}

/// Begins what it is asked for at full tens only, unless asked for more.
private final class Ceremonious: Minutes, @unchecked Sendable {
    // Unchecked: has no state of its own.
    override func adjustScheduledTime(_ time: Int) -> Int {
        time < 10 ? 10 : time + 10
    }
}

private struct MinutesConverter: VirtualTimeConverterType {
    func convertFromVirtualTime(_ virtualTime: Int) -> RxTime {
        Date(timeIntervalSince1970: Double(virtualTime) * 60)
    }
    func convertToVirtualTime(_ time: RxTime) -> Int { Int((time.timeIntervalSince1970 / 60).rounded()) }
    func convertFromVirtualTimeInterval(_ virtualTimeInterval: Int) -> TimeInterval { Double(virtualTimeInterval) * 60 }
    func convertToVirtualTimeInterval(_ timeInterval: TimeInterval) -> Int { Int((timeInterval / 60).rounded()) }
    func offsetVirtualTime(_ time: Int, offset: Int) -> Int { time + offset }
    func compareVirtualTime(_ lhs: Int, _ rhs: Int) -> VirtualTimeComparison {
        lhs < rhs ? .lessThan : lhs > rhs ? .greaterThan : .equal
    }
}
