import Dispatch
import Glibc
import Rx
import Testing
import TestSupport

@Suite("Main schedulers", .leakFree)
struct MainSchedulerTests {
    private let log = Locked<[String]>([])

    private func note(_ text: String) { log.withLock { $0.append(text) } }

    private func schedule(_ scheduler: any ImmediateSchedulerType, _ text: String) -> any Disposable {
        scheduler.schedule(text) { [self] text in
            MainScheduler.ensureExecutingOnScheduler()
            MainActor.assumeIsolated {}
            note(text)
            return Disposables.create()
        }
    }

    @Test("on the main queue an action runs at once")
    @MainActor func atOnce() {
        _ = schedule(MainScheduler(), "a")
        #expect(log.withLock { $0 } == ["a"])
    }

    @Test("while one runs or waits, the next waits for its turn")
    @MainActor func inOrder() async {
        let scheduler = MainScheduler()
        _ = scheduler.schedule(()) { [self] _ in
            _ = schedule(scheduler, "nested")
            note("a")
            return Disposables.create()
        }
        _ = schedule(scheduler, "b")
        #expect(log.withLock { $0 } == ["a"])
        #expect(await eventually { log.withLock { $0.count } == 3 })
        #expect(log.withLock { $0 } == ["a", "nested", "b"])
        // All have had their turns, so this one is at once again.
        let isFree = Locked(false)
        while !isFree.withLock({ $0 }) {
            _ = scheduler.schedule(()) { _ in
                isFree.withLock { $0 = true }
                return Disposables.create()
            }
            await Task.yield()
        }
    }

    @Test("from other threads actions come to the main queue in order")
    func fromElsewhere() async {
        let scheduler = MainScheduler()
        for number in 0..<300 { _ = schedule(scheduler, "\(number)") }
        #expect(await eventually { log.withLock { $0.count } == 300 })
        #expect(log.withLock { $0 } == (0..<300).map { "\($0)" })
    }

    @Test("what is disposed before its turn does not run")
    @MainActor func disposed() async {
        let scheduler = MainScheduler()
        _ = scheduler.schedule(()) { [self] _ in
            schedule(scheduler, "dropped").dispose()
            _ = schedule(scheduler, "kept")
            return Disposables.create()
        }
        #expect(await eventually { log.withLock { !$0.isEmpty } })
        #expect(log.withLock { $0 } == ["kept"])
    }

    @Test("asyncInstance never runs anything at once")
    @MainActor func async() async {
        _ = schedule(MainScheduler.asyncInstance, "a")
        _ = schedule(MainScheduler.asyncInstance, "b")
        #expect(log.withLock { $0 } == [])
        #expect(await eventually { log.withLock { $0.count } == 2 })
        #expect(log.withLock { $0 } == ["a", "b"])
    }

    @Test("the concurrent one runs at once on the main queue, whatever waits")
    @MainActor func concurrent() async {
        let scheduler = ConcurrentMainScheduler.instance
        _ = scheduler.schedule(()) { [self] _ in
            _ = schedule(scheduler, "nested")
            note("a")
            return Disposables.create()
        }
        #expect(log.withLock { $0 } == ["nested", "a"])
    }

    @Test("the concurrent one takes its turn from elsewhere")
    func concurrentElsewhere() async {
        let scheduler = ConcurrentMainScheduler.instance
        _ = schedule(scheduler, "a")
        #expect(await eventually { log.withLock { $0.count } == 1 })
    }

    @Test(
        "timers come on the main queue, unless they are disposed",
        arguments: [
            MainScheduler.instance as any SchedulerType, MainScheduler.asyncInstance, ConcurrentMainScheduler.instance,
        ])
    func timers(scheduler: any SchedulerType) async {
        let start = ContinuousClock.now
        await MainActor.run {
            // While this runs it cannot have its turn.
            let dropped = scheduler.scheduleRelative((), dueTime: .milliseconds(1)) { [self] _ in
                note("dropped")
                return Disposables.create()
            }
            usleep(5_000)
            dropped.dispose()
        }
        _ = scheduler.scheduleRelative((), dueTime: .milliseconds(20)) { [self] _ in
            MainScheduler.ensureRunningOnMainThread()
            note("once")
            return Disposables.create()
        }
        #expect(await eventually { log.withLock { !$0.isEmpty } })
        #expect(ContinuousClock.now - start >= .milliseconds(20))
        let timer = scheduler.schedulePeriodic(1, startAfter: .milliseconds(1), period: .milliseconds(1)) {
            [self] number in
            MainScheduler.ensureExecutingOnScheduler()
            note("\(number)")
            return number + 1
        }
        #expect(await eventually { log.withLock { $0.count } >= 4 })
        timer.dispose()
        #expect(log.withLock { Array($0.prefix(4)) } == ["once", "1", "2", "3"])
    }

    @Test("observe(on:) brings elements to the main queue")
    func observe() async {
        let subscription = Observable.of("a", "b").observe(on: MainScheduler.instance)
            .subscribe(onNext: { [self] in
                MainScheduler.ensureExecutingOnScheduler()
                note($0)
            })
        #expect(await eventually { log.withLock { $0.count } == 2 })
        #expect(log.withLock { $0 } == ["a", "b"])
        subscription.dispose()
    }

    @Test("the checks trap elsewhere")
    func elsewhere() async {
        await #expect(processExitsWith: .failure) {
            DispatchQueue.global().sync {}
            await Task.detached { MainScheduler.ensureExecutingOnScheduler() }.value
        }
        await #expect(processExitsWith: .failure) {
            await Task.detached { MainScheduler.ensureRunningOnMainThread(errorMessage: "here") }.value
        }
    }
}
