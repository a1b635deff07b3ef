import Dispatch
import FoundationEssentials
import Glibc
import Rx
import Testing
import TestSupport

@Suite("A scheduler over a clock", .leakFree)
struct ClockSchedulerTests {
    private let clock = ManualClock()
    private let notes = Notes()
    private let scheduler: ClockScheduler<ManualClock>

    init() {
        scheduler = ClockScheduler(clock: clock, date: Date(timeIntervalSince1970: 100))
    }

    /// Notes its state.
    private func note(_ text: String) -> any Disposable {
        notes(text)
        return Disposables.create()
    }

    @Test("now counts on from the given date, by the clock")
    func now() {
        #expect(scheduler.now == Date(timeIntervalSince1970: 100))
        clock.advance(by: .milliseconds(1500))
        #expect(scheduler.now == Date(timeIntervalSince1970: 101.5))
    }

    @Test("work without a time runs without the clock, later than the call, in order")
    func immediate() async {
        let isInside = Locked(true)
        let wasInside = Locked(false)
        // The loop holds its thread, so an action on that thread runs within a call.
        let caller = pthread_self()
        for number in 0..<200 {
            _ = scheduler.schedule(number) { number in
                if isInside.withLock({ $0 }), pthread_self() == caller { wasInside.withLock { $0 = true } }
                return note("\(number)")
            }
        }
        isInside.withLock { $0 = false }
        #expect(await eventually { notes.all.count == 200 })
        #expect(notes.all == (0..<200).map(String.init))
        #expect(!wasInside.withLock { $0 })
        #expect(clock.deadlines == [])
    }

    @Test("an action does not run within the call that schedules it from an action")
    func nested() async {
        _ = scheduler.schedule(()) { _ in
            let inner = scheduler.schedule("inner", action: note)
            notes("outer")
            return inner
        }
        #expect(await eventually { notes.all.count == 2 })
        #expect(notes.all == ["outer", "inner"])
    }

    @Test("relative work waits for the clock")
    func relative() async {
        _ = scheduler.scheduleRelative("a", dueTime: .seconds(2), action: note)
        #expect(await eventually { clock.deadlines == [2] })
        clock.advance(by: .seconds(1))
        #expect(clock.deadlines == [2])
        #expect(notes.all == [])
        clock.advance(by: .seconds(1))
        #expect(await eventually { notes.all == ["a"] })
        #expect(await eventually { clock.deadlines == [] })
    }

    @Test("absolute work runs at its instant, and what is overdue first")
    func absolute() async {
        clock.advance(by: .seconds(5))
        let start = clock.now
        _ = scheduler.scheduleAbsolute("later", time: start.advanced(by: .seconds(3)), action: note)
        #expect(await eventually { clock.deadlines == [8] })
        clock.advance(by: .seconds(3))
        #expect(await eventually { notes.all == ["later"] })
        // All in one turn: an action keeps the scheduler busy meanwhile.
        _ = scheduler.schedule(()) { _ in
            _ = scheduler.schedule("now", action: note)
            _ = scheduler.scheduleAbsolute("overdue", time: start, action: note)
            return Disposables.create()
        }
        #expect(await eventually { notes.all.count == 3 })
        #expect(notes.all == ["later", "overdue", "now"])
    }

    @Test("actions run in the order of their times, and those of one time in the order of scheduling")
    func order() async {
        for (name, seconds) in [("a", 3), ("b", 1), ("c", 2), ("d", 1), ("e", 3), ("f", 1)] {
            _ = scheduler.scheduleRelative(name, dueTime: .seconds(seconds), action: note)
        }
        #expect(await eventually { clock.deadlines == [1] })
        clock.advance(by: .seconds(3))
        #expect(await eventually { notes.all.count == 6 })
        #expect(notes.all == ["b", "d", "f", "c", "a", "e"])
    }

    @Test("earlier work shortens the sleep")
    func earlier() async {
        _ = scheduler.scheduleRelative("late", dueTime: .seconds(9), action: note)
        #expect(await eventually { clock.deadlines == [9] })
        _ = scheduler.scheduleRelative("early", dueTime: .seconds(1), action: note)
        #expect(await eventually { clock.deadlines == [1] })
        clock.advance(by: .seconds(1))
        #expect(await eventually { notes.all == ["early"] })
        #expect(await eventually { clock.deadlines == [9] })
        clock.advance(by: .seconds(8))
        #expect(await eventually { notes.all == ["early", "late"] })
    }

    @Test("disposing cancels the action, and the sleep that is only for it")
    func disposal() async {
        let first = scheduler.scheduleRelative("first", dueTime: .seconds(1), action: note)
        let second = scheduler.scheduleRelative("second", dueTime: .seconds(2), action: note)
        #expect(await eventually { clock.deadlines == [1] })
        first.dispose()
        #expect(await eventually { clock.deadlines == [2] })
        second.dispose()
        #expect(await eventually { clock.deadlines == [] })
        clock.advance(by: .seconds(5))
        _ = scheduler.schedule("after", action: note)
        #expect(await eventually { notes.all == ["after"] })
    }

    @Test("disposing after the run disposes what the action returned")
    func disposalAfterwards() async {
        let notes = notes
        let item = scheduler.schedule(()) { _ in Disposables.create { notes("disposed") } }
        let done = scheduler.schedule("done", action: note)
        #expect(await eventually { notes.all == ["done"] })
        item.dispose()
        done.dispose()
        #expect(notes.all == ["done", "disposed"])
    }

    @Test("never is never, and a delay of ages is one of 100 years")
    func never() async {
        _ = scheduler.scheduleRelative("never", dueTime: .never, action: note)
        let far = scheduler.scheduleRelative("far", dueTime: .seconds(.max), action: note)
        #expect(await eventually { clock.deadlines == [3_155_760_000] })
        far.dispose()
        #expect(await eventually { clock.deadlines == [] })
        let soon = scheduler.scheduleRelative("negative", dueTime: .seconds(-5), action: note)
        #expect(await eventually { notes.all == ["negative"] })
        soon.dispose()
    }

    @Test("canceled actions release what they hold, and leave the queue before their time")
    func canceled() async {
        let live = scheduler.scheduleRelative("live", dueTime: .seconds(1), action: note)
        #expect(await eventually { clock.deadlines == [1] })
        weak var released: Held?
        let left = Locked(0)
        do {
            let held = Held()
            released = held
            for number in 0..<10_000 {
                left.withLock { $0 += 1 }
                let inQueue = Held(onRelease: { left.withLock { $0 -= 1 } })
                let time = ManualClock.Instant(offset: .seconds(100 + number), held: inQueue)
                scheduler.scheduleAbsolute((), time: time) { _ in
                    held.use()
                    return Disposables.create()
                }.dispose()
            }
        }
        #expect(released == nil)
        // Not all: clearing the queue each time would be slow.
        #expect(await eventually { left.withLock { $0 } < 200 })
        // It stops sleeping for a moment when its queue changes.
        #expect(await eventually { clock.deadlines == [1] })
        live.dispose()
        #expect(await eventually { left.withLock { $0 } == 0 && clock.deadlines == [] })
    }

    @Test("periodic work keeps its times, and catches up after a long step of the clock")
    func periodic() async {
        let timer = scheduler.schedulePeriodic(0, startAfter: .seconds(2), period: .seconds(3)) { count in
            notes("\(count)")
            return count + 1
        }
        #expect(await eventually { clock.deadlines == [2] })
        clock.advance(by: .seconds(2))
        #expect(await eventually { clock.deadlines == [5] })
        #expect(notes.all == ["0"])
        // At 12: the runs of 5, 8, and 11.
        clock.advance(by: .seconds(10))
        #expect(await eventually { clock.deadlines == [14] })
        #expect(notes.all == ["0", "1", "2", "3"])
        timer.dispose()
        #expect(await eventually { clock.deadlines == [] })
        clock.advance(by: .seconds(10))
        _ = scheduler.schedule("end", action: note)
        #expect(await eventually { notes.all == ["0", "1", "2", "3", "end"] })
    }

    @Test("periodic work catches up on a bounded number of runs")
    func backlog() async {
        let timer = scheduler.schedulePeriodic(0, startAfter: .seconds(1), period: .seconds(1)) { count in
            notes("\(count)")
            return count + 1
        }
        #expect(await eventually { clock.deadlines == [1] })
        clock.advance(by: .seconds(1_000_000))
        // One at 1, then one at 1,000,000.
        #expect(await eventually { clock.deadlines == [1_000_001] })
        #expect(notes.all == ["0", "1"])
        clock.advance(by: .seconds(900))
        #expect(await eventually { clock.deadlines == [1_000_901] })
        #expect(notes.all.count == 902)
        timer.dispose()
    }

    @Test("a run that disposes its timer is the last")
    func periodicDisposal() async {
        let timer = SerialDisposable()
        timer.disposable = scheduler.schedulePeriodic(0, startAfter: .seconds(1), period: .seconds(1)) { count in
            notes("\(count)")
            if count == 1 { timer.dispose() }
            return count + 1
        }
        #expect(await eventually { clock.deadlines == [1] })
        clock.advance(by: .seconds(10))
        #expect(await eventually { notes.all.count == 2 })
        _ = scheduler.schedule("end", action: note)
        #expect(await eventually { notes.all.last == "end" })
        #expect(notes.all == ["0", "1", "end"])
        #expect(clock.deadlines == [])
    }

    @Test("operators take their time from the clock")
    func operators() async {
        let subject = PublishSubject<String>()
        let subscription = subject.debounce(.seconds(1), scheduler: scheduler).subscribe(onNext: { notes($0) })
        subject.onNext("a")
        #expect(await eventually { clock.deadlines == [1] })
        subject.onNext("b")
        clock.advance(by: .milliseconds(500))
        subject.onNext("c")
        clock.advance(by: .milliseconds(900))
        #expect(notes.all == [])
        #expect(await eventually { clock.deadlines == [1] })
        clock.advance(by: .milliseconds(100))
        #expect(await eventually { notes.all == ["c"] })
        subscription.dispose()

        let ticks = Observable<Int>.interval(.seconds(1), scheduler: scheduler).take(3)
            .subscribe(onNext: { notes("\($0)") }, onCompleted: { notes("|") })
        #expect(await eventually { clock.deadlines == [2] })
        clock.advance(by: .seconds(3))
        #expect(await eventually { notes.all == ["c", "0", "1", "2", "|"] })
        ticks.dispose()
    }

    @Test("many threads schedule and dispose; actions run one at a time, each once")
    func concurrently() async {
        let running = Locked(0)
        let overlaps = Locked(0)
        let ran = Locked(0)
        await withTaskGroup { group in
            for worker in 0..<4 {
                group.addTask {
                    for number in 0..<500 {
                        let item = scheduler.scheduleRelative((), dueTime: .milliseconds(number % 7)) { _ in
                            if running.withLock({
                                $0 += 1; return $0
                            }) != 1 {
                                overlaps.withLock { $0 += 1 }
                            }
                            ran.withLock { $0 += 1 }
                            running.withLock { $0 -= 1 }
                            return Disposables.create()
                        }
                        if worker == 3 { item.dispose() }
                        if number.isMultiple(of: 50) { clock.advance(by: .milliseconds(1)) }
                    }
                }
            }
        }
        clock.advance(by: .seconds(1))
        #expect(await eventually { ran.withLock { $0 } >= 1500 })
        _ = scheduler.schedule("last", action: note)
        #expect(await eventually { notes.all == ["last"] })
        // Those of the fourth worker may have run before they were disposed.
        #expect((1500...2000).contains(ran.withLock { $0 }))
        #expect(overlaps.withLock { $0 } == 0)
    }

    @Test("the clocks of the system drive it, too")
    func realClocks() async {
        let started = ContinuousClock.now
        let continuous = ClockScheduler(clock: ContinuousClock())
        let suspending = ClockScheduler(clock: SuspendingClock(), tolerance: .milliseconds(1))
        #expect(abs(continuous.now.timeIntervalSinceNow) < 60)
        _ = continuous.scheduleRelative("continuous", dueTime: .milliseconds(5), action: note)
        _ = suspending.scheduleRelative("suspending", dueTime: .milliseconds(5), action: note)
        #expect(await eventually { notes.all.count == 2 })
        #expect(started.duration(to: .now) >= .milliseconds(5))
    }
}
