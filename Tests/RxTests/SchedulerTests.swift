import Dispatch
import Glibc
import Rx
import Testing
import TestSupport

@Suite("Schedulers and time", .leakFree)
struct SchedulerTests {
    @Test("the current thread runs nested work after what runs, in order")
    func currentThread() {
        let log = Locked<[Int]>([])
        let scheduler = CurrentThreadScheduler.instance
        #expect(CurrentThreadScheduler.isScheduleRequired)
        _ = scheduler.schedule(1) { number in
            #expect(!CurrentThreadScheduler.isScheduleRequired)
            _ = scheduler.schedule(3) { number in
                log.withLock { $0.append(number) }
                return Disposables.create()
            }
            let cancelled = scheduler.schedule(9) { number in
                log.withLock { $0.append(number) }
                return Disposables.create()
            }
            cancelled.dispose()
            log.withLock { $0.append(number) }
            return Disposables.create()
        }
        #expect(log.withLock { $0 } == [1, 3])
        #expect(CurrentThreadScheduler.isScheduleRequired)
    }

    @Test("scheduleRecursive goes on until it is not asked to, or is disposed")
    func recursive() {
        let count = Locked(0)
        _ = CurrentThreadScheduler.instance.scheduleRecursive(0) { number, again in
            count.withLock { $0 += 1 }
            if number < 9 { again(number + 1) }
        }
        #expect(count.withLock { $0 } == 10)
    }

    @Test("a serial scheduler runs its actions in order, one at a time")
    func serial() async {
        let scheduler = SerialDispatchQueueScheduler(qos: .default)
        let log = Locked<[Int]>([])
        for number in 0..<100 {
            _ = scheduler.schedule(number) { number in
                log.withLock { $0.append(number) }
                return Disposables.create()
            }
        }
        #expect(await eventually { log.withLock { $0.count } == 100 })
        #expect(log.withLock { $0 } == Array(0..<100))
    }

    @Test("a serial scheduler of a quality of service targets the global queue of that quality")
    func globalTarget() async {
        let mark = DispatchSpecificKey<Int>()
        DispatchQueue.global(qos: .utility).setSpecific(key: mark, value: 7)
        defer { DispatchQueue.global(qos: .utility).setSpecific(key: mark, value: nil) }
        let found = Locked<[Int]>([])
        for qos in [DispatchQoS.utility, .userInitiated] {
            _ = SerialDispatchQueueScheduler(qos: qos).schedule(()) { _ in
                let value = DispatchQueue.getSpecific(key: mark) ?? 0
                found.withLock { $0.append(value) }
                return Disposables.create()
            }
        }
        #expect(await eventually { found.withLock { $0.count } == 2 })
        #expect(found.withLock { $0.sorted() } == [0, 7])
    }

    @Test("relative work waits, unless it is disposed before")
    func relative() async {
        let queue = DispatchQueue(label: "test")
        let scheduler = SerialDispatchQueueScheduler(queue: queue, internalSerialQueueName: "inner")
        let log = Locked<[String]>([])
        let start = ContinuousClock.now
        queue.suspend()
        let cancelled = scheduler.scheduleRelative("cancelled", dueTime: .milliseconds(1)) { text in
            log.withLock { $0.append(text) }
            return Disposables.create()
        }
        usleep(5_000)
        cancelled.dispose()
        queue.resume()
        _ = scheduler.scheduleRelative("later", dueTime: .milliseconds(30)) { text in
            log.withLock { $0.append(text) }
            return Disposables.create()
        }
        #expect(await eventually { log.withLock { !$0.isEmpty } })
        #expect(log.withLock { $0 } == ["later"])
        #expect(ContinuousClock.now - start >= .milliseconds(30))
    }

    @Test("periodic work of a scheduler of one's own never overlaps, however long it takes")
    func ownPeriodic() async {
        let inside = Locked(0), overlaps = Locked(0), numbers = Locked<[Int]>([])
        let timer = OwnScheduler().schedulePeriodic(0, startAfter: .milliseconds(1), period: .milliseconds(1)) {
            number in
            let others = inside.withLock {
                $0 += 1
                return $0 - 1
            }
            if others > 0 { overlaps.withLock { $0 += 1 } }
            usleep(3_000)
            numbers.withLock { $0.append(number) }
            inside.withLock { $0 -= 1 }
            return number + 1
        }
        #expect(await eventually { numbers.withLock { $0.count } >= 5 })
        timer.dispose()
        #expect(await eventually { inside.withLock { $0 } == 0 })
        #expect(overlaps.withLock { $0 } == 0)
        #expect(numbers.withLock { Array($0.prefix(5)) } == [0, 1, 2, 3, 4])
    }

    @Test("interval counts until it is disposed")
    func interval() async {
        let scheduler = ConcurrentDispatchQueueScheduler(qos: .default)
        let recorder = Recorder<Int>()
        _ = Observable<Int>.interval(.milliseconds(1), scheduler: scheduler).take(3).subscribe(recorder)
        #expect(await eventually { recorder.count == 4 })
        #expect(recorder.text == "0 1 2 |")
    }

    @Test("timer sends one element and ends, or counts on")
    func timer() async {
        let scheduler = SerialDispatchQueueScheduler(qos: .default)
        let once = Recorder<Int>(), counting = Recorder<Int>()
        _ = Observable<Int>.timer(.milliseconds(1), scheduler: scheduler).subscribe(once)
        _ = Observable<Int>.timer(.milliseconds(1), period: .milliseconds(1), scheduler: scheduler).take(2)
            .subscribe(counting)
        #expect(await eventually { once.count == 2 && counting.count == 3 })
        #expect(once.text == "0 |")
        #expect(counting.text == "0 1 |")
    }

    @Test("subscribe(on:) subscribes and disposes on its queue")
    func subscribeOn() async {
        let queue = DispatchQueue(label: "test")
        let key = DispatchSpecificKey<Bool>()
        queue.setSpecific(key: key, value: true)
        let scheduler = SerialDispatchQueueScheduler(queue: queue, internalSerialQueueName: "inner")
        let log = Locked<[Bool]>([])
        let subscription = Observable<Int>.create { observer in
            log.withLock { $0.append(DispatchQueue.getSpecific(key: key) == true) }
            return Disposables.create { log.withLock { $0.append(DispatchQueue.getSpecific(key: key) == true) } }
        }.subscribe(on: scheduler).subscribe()
        #expect(await eventually { log.withLock { $0.count } == 1 })
        subscription.dispose()
        #expect(await eventually { log.withLock { $0.count } == 2 })
        #expect(log.withLock { $0 } == [true, true])
    }

    @Test("a subscription disposed before its turn on the scheduler is never made")
    func subscribeOnNever() async {
        let queue = DispatchQueue(label: "test")
        let scheduler = SerialDispatchQueueScheduler(queue: queue, internalSerialQueueName: "inner")
        let subscriptions = Locked(0), passed = Locked(false)
        queue.suspend()
        let subscription = Observable<Int>.create { _ in
            subscriptions.withLock { $0 += 1 }
            return Disposables.create()
        }.subscribe(on: scheduler).subscribe()
        subscription.dispose()
        queue.resume()
        _ = scheduler.schedule(()) { _ in
            passed.withLock { $0 = true }
            return Disposables.create()
        }
        #expect(await eventually { passed.withLock { $0 } })
        #expect(subscriptions.withLock { $0 } == 0)
    }

    @Test("observe(on:) keeps order and never overlaps, on a concurrent queue too")
    func observeOn() async {
        let scheduler = ConcurrentDispatchQueueScheduler(qos: .default)
        let inside = Locked(0), overlaps = Locked(0), seen = Locked<[Int]>([]), done = Locked(false)
        _ = Observable.range(start: 0, count: 5_000).observe(on: scheduler).subscribe(
            onNext: { element in
                if inside.withLock({
                    $0 += 1; return $0
                }) > 1 {
                    overlaps.withLock { $0 += 1 }
                }
                seen.withLock { $0.append(element) }
                inside.withLock { $0 -= 1 }
            },
            onCompleted: { done.withLock { $0 = true } })
        #expect(await eventually { done.withLock { $0 } })
        #expect(seen.withLock { $0 } == Array(0..<5_000))
        #expect(overlaps.withLock { $0 } == 0)
    }

    @Test("observe(on:) drops what waits when it is disposed")
    func observeOnDrops() async {
        let queue = DispatchQueue(label: "test")
        let scheduler = SerialDispatchQueueScheduler(queue: queue, internalSerialQueueName: "inner")
        let mapped = Locked(0), passed = Locked(false)
        queue.suspend()
        let subscription = Observable.of(1, 2, 3).observe(on: scheduler)
            .do(onNext: { _ in mapped.withLock { $0 += 1 } }).subscribe()
        subscription.dispose()
        queue.resume()
        _ = scheduler.schedule(()) { _ in
            passed.withLock { $0 = true }
            return Disposables.create()
        }
        #expect(await eventually { passed.withLock { $0 } })
        #expect(mapped.withLock { $0 } == 0)
    }

    @Test("delay is late by its time, errors are not")
    func delay() async {
        let scheduler = SerialDispatchQueueScheduler(qos: .default)
        let recorder = Recorder<Int>()
        let start = ContinuousClock.now
        _ = Observable.of(1, 2).delay(.milliseconds(20), scheduler: scheduler).subscribe(recorder)
        #expect(await eventually { recorder.count == 3 })
        #expect(recorder.text == "1 2 |")
        #expect(ContinuousClock.now - start >= .milliseconds(20))
        let failing = Observable.of(1).concat(Observable.error(Oops()))
        #expect(marbles(of: failing.delay(.seconds(60), scheduler: scheduler)) == "x")
    }

    @Test("timeout fails, or goes on with another sequence, when an element is late")
    func timeout() async {
        let scheduler = SerialDispatchQueueScheduler(qos: .default)
        let failed = Recorder<Int>(), replaced = Recorder<Int>(), inTime = Recorder<Int>()
        let source = PublishSubject<Int>()
        // The first element comes with the subscription, and so in time on a busy machine.
        let late = source.startWith(1)
        _ = late.timeout(.seconds(1), scheduler: scheduler).subscribe(failed)
        _ = late.timeout(.seconds(1), other: Observable.of(8, 9), scheduler: scheduler).subscribe(replaced)
        _ = Observable.of(1, 2).timeout(.seconds(60), scheduler: scheduler).subscribe(inTime)
        #expect(await eventually { failed.count == 2 && replaced.count == 4 })
        source.onNext(2)
        #expect(failed.text == "1 x")
        #expect(replaced.text == "1 8 9 |")
        #expect(inTime.text == "1 2 |")
        #expect(!source.hasObservers)
    }
}

/// Runs everything at once on a concurrent queue; its periodic work is that of every scheduler.
private struct OwnScheduler: SchedulerType {
    private let queue = ConcurrentDispatchQueueScheduler(qos: .default)

    var now: RxTime { queue.now }

    func schedule<State: Sendable>(
        _ state: State, action: @escaping @Sendable (State) -> any Disposable
    ) -> any Disposable {
        queue.schedule(state, action: action)
    }

    func scheduleRelative<State: Sendable>(
        _ state: State, dueTime: RxTimeInterval, action: @escaping @Sendable (State) -> any Disposable
    ) -> any Disposable {
        queue.scheduleRelative(state, dueTime: dueTime, action: action)
    }
}
