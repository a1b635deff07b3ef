import Dispatch
import Rx
import RxTest
import Testing
import TestSupport

@Suite("timer and interval", .leakFree)
struct TimerTests {
    private func events(
        disposed: TestTime = 1000, _ make: @escaping @Sendable (TestScheduler) -> Observable<Int>
    ) -> [Recorded<Event<Int>>] {
        let scheduler = TestScheduler(initialClock: 0)
        return scheduler.start(disposed: disposed) { make(scheduler) }.events
    }

    @Test("a timer sends 0 at its time, and ends")
    func once() {
        #expect(
            events { .timer(.seconds(50), scheduler: $0) } == [.next(250, 0), .completed(250)])
        #expect(events { .timer(.seconds(0), scheduler: $0) } == [.next(201, 0), .completed(201)])
        #expect(events { .timer(.seconds(-9), scheduler: $0) } == [.next(201, 0), .completed(201)])
        #expect(events { .timer(.never, scheduler: $0) } == [])
        #expect(events(disposed: 240) { .timer(.seconds(50), scheduler: $0) } == [])
    }

    @Test("a timer with a period counts on")
    func periodic() {
        #expect(
            events(disposed: 330) { .timer(.seconds(50), period: .seconds(30), scheduler: $0) }
                == [.next(250, 0), .next(280, 1), .next(310, 2)])
        #expect(
            events(disposed: 220) { .timer(.seconds(0), period: .seconds(7), scheduler: $0) }
                == [.next(201, 0), .next(208, 1), .next(215, 2)])
        #expect(events { .timer(.seconds(50), period: .never, scheduler: $0) } == [.next(250, 0)])
    }

    @Test("interval counts from one period after the subscription on")
    func interval() {
        #expect(
            events { .interval(.seconds(100), scheduler: $0) }
                == (0...6).map { .next(300 + 100 * $0, $0) })
        #expect(events { .interval(.never, scheduler: $0) } == [])
    }

    @Test("no period, or a negative one, is one turn of the scheduler")
    func zero() {
        let turns: [Recorded<Event<Int>>] = [.next(201, 0), .next(202, 1), .next(203, 2), .next(204, 3)]
        #expect(events(disposed: 205) { .interval(.seconds(0), scheduler: $0) } == turns)
        #expect(events(disposed: 205) { .interval(.seconds(-1), scheduler: $0) } == turns)
    }

    @Test("every element is at its multiple of the period, the thousandth too")
    func exact() {
        #expect(
            events(disposed: 200 + 7 * 5_000) { .interval(.seconds(7), scheduler: $0) }
                == (0..<4_999).map { .next(207 + 7 * $0, $0) })
        let fine = TestScheduler(initialClock: 0, resolution: 0.001)
        let observer = fine.start(disposed: 30_200) {
            Observable<Int>.interval(.milliseconds(30), scheduler: fine)
        }
        #expect(observer.events == (0..<999).map { .next(230 + 30 * $0, $0) })
    }

    @Test("a slow observer does not stretch the period")
    func slowObserver() {
        let scheduler = TestScheduler(initialClock: 0)
        let observer = scheduler.createObserver(Int.self)
        scheduler.scheduleAt(200) {
            _ = Observable<Int>.interval(.seconds(100), scheduler: scheduler).take(4)
                .do(onNext: { if $0 == 0 { scheduler.sleep(30) } else if $0 == 1 { scheduler.sleep(120) } })
                .subscribe(observer)
        }
        scheduler.start()
        // The tick due at 500 is late by 20; the one after it keeps the period to that one.
        #expect(
            observer.events == [.next(330, 0), .next(520, 1), .next(520, 2), .next(620, 3), .completed(620)])
    }

    @Test("the next tick comes before what this one schedules for the same time")
    func tickFirst() {
        let scheduler = TestScheduler(initialClock: 0)
        let observer = scheduler.start(disposed: 225) {
            Observable<Int>.interval(.seconds(10), scheduler: scheduler).flatMap { tick in
                Observable<Int>.timer(.seconds(10), scheduler: scheduler).map { _ in tick + 100 }.startWith(tick)
            }
        }
        #expect(observer.events == [.next(210, 0), .next(220, 1), .next(220, 100)])
    }

    @Test("disposed from within its own element it sends no more")
    func disposedWithin() {
        #expect(
            events { .interval(.seconds(10), scheduler: $0).take(2) }
                == [.next(210, 0), .next(220, 1), .completed(220)])
    }

    // MARK: - On queues

    private static let serial = SerialDispatchQueueScheduler(qos: .default)
    private static let concurrent = ConcurrentDispatchQueueScheduler(qos: .default)
    private static let schedulers: [any SchedulerType] = [serial, concurrent]

    @Test("on a queue, no period or a negative one is as fast as the queue goes", arguments: [0, 1])
    func zeroOnQueue(_ which: Int) async {
        let scheduler = TimerTests.schedulers[which]
        for period in [RxTimeInterval.seconds(0), .seconds(-1), .nanoseconds(.min)] {
            let recorder = Recorder<Int>()
            let subscription = Observable<Int>.interval(period, scheduler: scheduler).take(50).subscribe(recorder)
            #expect(await eventually { recorder.count == 51 })
            subscription.dispose()
        }
    }

    @Test("on a queue, a timer without a period in between leaves turns to others")
    func zeroIsFair() async {
        let recorder = Recorder<Int>(), ticks = Locked(0)
        let ticking = Observable<Int>.interval(.seconds(0), scheduler: TimerTests.serial)
            .subscribe(onNext: { _ in ticks.withLock { $0 += 1 } })
        #expect(await eventually { ticks.withLock { $0 } > 10 })
        _ = Observable.of(1, 2, 3).observe(on: TimerTests.serial).subscribe(recorder)
        #expect(await eventually { recorder.count == 4 })
        ticking.dispose()
        // The queue is through with what was under way; from then on there is no tick.
        let passed = Recorder<Int>()
        _ = Observable.just(1, scheduler: TimerTests.serial).subscribe(passed)
        #expect(await eventually { passed.count == 2 })
        let before = ticks.withLock { $0 }
        let again = Recorder<Int>()
        _ = Observable<Int>.timer(.milliseconds(2), scheduler: TimerTests.serial).subscribe(again)
        #expect(await eventually { again.count == 2 })
        #expect(ticks.withLock { $0 } == before)
    }

    @Test("on a queue, a negative time is now and an endless one never", arguments: [0, 1])
    func extremesOnQueue(_ which: Int) async {
        let scheduler = TimerTests.schedulers[which]
        let early = Recorder<Int>(), never = Recorder<Int>(), far = Recorder<Int>(), once = Recorder<Int>()
        let subscriptions = DisposeBag()
        Observable<Int>.timer(.never, scheduler: scheduler).subscribe(never).disposed(by: subscriptions)
        Observable<Int>.interval(.never, scheduler: scheduler).subscribe(never).disposed(by: subscriptions)
        Observable<Int>.timer(.seconds(.max), scheduler: scheduler).subscribe(far).disposed(by: subscriptions)
        Observable<Int>.timer(.seconds(-1), period: .never, scheduler: scheduler).subscribe(once)
            .disposed(by: subscriptions)
        _ = Observable<Int>.timer(.seconds(.min), scheduler: scheduler).subscribe(early)
        #expect(await eventually { early.count == 2 && once.count == 1 })
        _ = Observable<Int>.timer(.milliseconds(5), scheduler: scheduler).subscribe(early)
        #expect(await eventually { early.count == 4 })
        #expect(early.text == "0 | 0 |")
        #expect(never.text == "")
        #expect(far.text == "")
        #expect(once.text == "0")
    }

    @Test("on a queue, operators take an endless time, too")
    func endlessOnQueue() async {
        let scheduler = TimerTests.serial
        let recorder = Recorder<Int>()
        let source = PublishSubject<Int>()
        let bag = DisposeBag()
        source.delay(.never, scheduler: scheduler).subscribe(recorder).disposed(by: bag)
        source.debounce(.never, scheduler: scheduler).take(1).subscribe(recorder).disposed(by: bag)
        source.timeout(.never, scheduler: scheduler).subscribe(recorder).disposed(by: bag)
        source.throttle(.never, scheduler: scheduler).subscribe(recorder).disposed(by: bag)
        source.take(for: .never, scheduler: scheduler).subscribe(recorder).disposed(by: bag)
        source.skip(.never, scheduler: scheduler).subscribe(recorder).disposed(by: bag)
        source.onNext(1)
        source.onNext(2)
        // throttle 1; timeout and take(for:) 1 and 2.
        #expect(recorder.text == "1 1 1 2 2")
    }
}
