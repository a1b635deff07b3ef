import Dispatch
import Rx
import RxTest

/// What a source of one element each at 210, 220, 230 and an end at 240 becomes.
func timed<Element: Equatable & Sendable>(
    _ wanted: [Recorded<Event<Element>>], file: StaticString = #fileID, line: UInt = #line,
    _ operation: @escaping @Sendable (Observable<Int>, TestScheduler) -> Observable<Element>
) {
    let scheduler = TestScheduler(initialClock: 0)
    let source = scheduler.createHotObservable([.next(210, 1), .next(220, 2), .next(230, 3), .completed(240)])
    let observer = scheduler.start { operation(source.asObservable(), scheduler) }
    check(observer.events, wanted, file: file, line: line)
}

func timing() {
    timed([.next(240, [1, 2, 3]), .completed(240)]) { $0.buffer(timeSpan: .seconds(100), count: 9, scheduler: $1) }
    timed([.next(220, [1, 2]), .next(240, [3]), .completed(240)]) {
        $0.buffer(timeSpan: .never, count: 2, scheduler: $1)
    }
    timed([.next(220, [1, 2]), .next(240, [3]), .completed(240)]) { source, scheduler in
        source.window(timeSpan: .never, count: 2, scheduler: scheduler).flatMap { $0.toArray() }
            .filter { !$0.isEmpty }
    }
    timed([.next(240, 3), .completed(240)]) { $0.debounce(.seconds(20), scheduler: $1) }
    timed([.next(215, 1), .next(225, 2), .next(235, 3), .completed(245)]) { $0.delay(.seconds(5), scheduler: $1) }
    timed([.next(220, 2), .next(230, 3), .completed(240)]) { $0.delaySubscription(.seconds(15), scheduler: $1) }
    timed([.next(210, 1), .next(230, 3), .completed(240)]) {
        $0.throttle(.seconds(15), latest: false, scheduler: $1)
    }
    timed([.next(210, 1), .next(225, 2), .next(240, 3), .completed(240)]) { $0.throttle(.seconds(15), scheduler: $1) }
    timed([.next(210, 1), .error(215, RxError.timeout)]) {
        $0.timeout(.seconds(15), scheduler: $1).take(1).concat($0.timeout(.seconds(5), scheduler: $1))
    }
    timed([.next(205, 7), .completed(205)]) { $0.timeout(.seconds(5), other: Observable.just(7), scheduler: $1) }
    timed([.next(210, 1), .next(220, 2), .completed(225)]) { $0.take(for: .seconds(25), scheduler: $1) }
    timed([.next(230, 3), .completed(240)]) { $0.skip(.seconds(25), scheduler: $1) }
    timed([.next(225, 2), .completed(240)]) { source, scheduler in
        source.sample(scheduler.createHotObservable([.next(225, "tick")]).asObservable().concat(Observable.never()))
            .take(until: source.takeLast(1))
    }
    timed([.next(210, 0), .next(220, 1), .completed(220)]) { Observable.interval(.seconds(10), scheduler: $1).take(2) }
    timed([.next(210, 0), .completed(210)]) { Observable.timer(.seconds(10), scheduler: $1) }
    timed([.next(210, 0), .next(215, 1), .completed(215)]) {
        Observable.timer(.seconds(10), period: .seconds(5), scheduler: $1).take(2)
    }
    timed([.next(211, 1), .next(221, 2), .next(231, 3), .completed(241)]) { $0.observe(on: $1) }
    timed([.next(210, 1), .next(220, 2), .next(230, 3), .completed(240)]) { $0.subscribe(on: $1) }
}

func timingOfTraits() {
    timed([.next(210, 0), .completed(210)]) { Single<Int>.timer(.seconds(10), scheduler: $1).asObservable() }
    timed([.next(210, 0), .completed(210)]) { Maybe<Int>.timer(.seconds(10), scheduler: $1).asObservable() }
    timed([.next(205, 1), .completed(206)]) { Single.just(1).delay(.seconds(5), scheduler: $1).asObservable() }
    timed([.next(205, 1), .completed(205)]) {
        Single.just(1).delaySubscription(.seconds(5), scheduler: $1).asObservable()
    }
    timed([.error(205, RxError.timeout)]) { Single<Int>.never().timeout(.seconds(5), scheduler: $1).asObservable() }
    timed([.next(205, 2), .completed(205)]) {
        Single<Int>.never().timeout(.seconds(5), other: .just(2), scheduler: $1).asObservable()
    }
    timed([.next(240, 3), .completed(240)]) { source, scheduler in
        source.asInfallible(onErrorJustReturn: 0).debounce(.seconds(20), scheduler: scheduler).asObservable()
    }
    timed([.next(210, 1), .next(225, 2), .next(240, 3), .completed(240)]) { source, scheduler in
        source.asInfallible(onErrorJustReturn: 0).throttle(.seconds(15), scheduler: scheduler).asObservable()
    }
    timed([.next(210, 1), .next(220, 2), .completed(225)]) { source, scheduler in
        source.asInfallible(onErrorJustReturn: 0).take(for: .seconds(25), scheduler: scheduler).asObservable()
    }
    timed([.next(210, 1), .next(230, 3), .completed(240)]) { source, scheduler in
        source.asInfallible(onErrorJustReturn: 0).throttle(.seconds(15), latest: false, scheduler: scheduler)
            .asObservable()
    }
}
