import Dispatch
import Rx
import RxTest
import Testing
import TestSupport

@Suite("merge, flatMap and flatMapFirst", .leakFree)
struct MergeTests {
    private let scheduler = TestScheduler(initialClock: 0)

    @Test("merge hands on all, ends with the last, and disposes each at its end")
    func merge() {
        let first = scheduler.createHotObservable([.next(210, 1), .next(240, 2), .completed(250)])
        let second = scheduler.createHotObservable([.next(220, 3), .completed(260)])
        let observer = scheduler.start { Observable.merge(first, second) }
        #expect(observer.events == [.next(210, 1), .next(220, 3), .next(240, 2), .completed(260)])
        #expect(first.subscriptions == [Subscription(200, 250)])
        #expect(second.subscriptions == [Subscription(200, 260)])
    }

    @Test("the first error ends merge and disposes all")
    func mergeFailing() {
        let first = scheduler.createHotObservable([.next(210, 1), .error(230, Oops())])
        let second = scheduler.createHotObservable([.next(220, 3), .next(240, 4)])
        let observer = scheduler.start { Observable.merge([first, second]) }
        #expect(observer.events == [.next(210, 1), .next(220, 3), .error(230, Oops())])
        #expect(second.subscriptions == [Subscription(200, 230)])
    }

    @Test("merge() of a sequence of sequences goes on after that has completed; its error ends all")
    func mergeOuter() {
        let inner = scheduler.createColdObservable([.next(10, 1), .next(100, 2), .completed(120)])
        let outer = scheduler.createHotObservable([
            .next(210, inner.asObservable()), .next(250, inner.asObservable()), .completed(260),
        ])
        let observer = scheduler.start { outer.merge() }
        #expect(observer.events == [.next(220, 1), .next(260, 1), .next(310, 2), .next(350, 2), .completed(370)])
        #expect(outer.subscriptions == [Subscription(200, 260)])
        #expect(inner.subscriptions == [Subscription(210, 330), Subscription(250, 370)])

        let other = TestScheduler(initialClock: 0)
        let never = other.createColdObservable([.next(10, 1)])
        let failing = other.createHotObservable([.next(210, never.asObservable()), .error(260, Oops())])
        let failed = other.start { failing.merge() }
        #expect(failed.events == [.next(220, 1), .error(260, Oops())])
        #expect(never.subscriptions == [Subscription(210, 260)])
    }

    private func limited(_ ends: Recorded<Event<Int>>) -> (
        TestableObserver<Int>, [TestableObservable<Int>], TestableObservable<Observable<Int>>
    ) {
        let inners = [
            scheduler.createColdObservable([.next(50, 1), .next(100, 2), ends]),
            scheduler.createColdObservable([.next(20, 3), .next(60, 4), .completed(70)]),
            scheduler.createColdObservable([.next(10, 5), .completed(40)]),
        ]
        let outer = scheduler.createHotObservable([
            .next(210, inners[0].asObservable()), .next(220, inners[1].asObservable()),
            .next(230, inners[2].asObservable()), .completed(240),
        ])
        return (scheduler.start { outer.merge(maxConcurrent: 2) }, inners, outer)
    }

    @Test("merge(maxConcurrent:) subscribes the next when one completes")
    func mergeLimited() {
        let (observer, inners, outer) = limited(.completed(110))
        #expect(
            observer.events == [
                .next(240, 3), .next(260, 1), .next(280, 4), .next(300, 5), .next(310, 2), .completed(330),
            ])
        #expect(outer.subscriptions == [Subscription(200, 240)])
        #expect(
            inners.map(\.subscriptions) == [
                [Subscription(210, 320)], [Subscription(220, 290)], [Subscription(290, 330)],
            ])
    }

    @Test("merge(maxConcurrent:) ends with the first error; what waits is never subscribed")
    func mergeLimitedFailing() {
        let (observer, inners, _) = limited(.error(60, Oops()))
        #expect(observer.events == [.next(240, 3), .next(260, 1), .error(270, Oops())])
        #expect(inners.map(\.subscriptions) == [[Subscription(210, 270)], [Subscription(220, 270)], []])
    }

    @Test("merge(maxConcurrent:) disposed in the middle disposes what runs, and subscribes no more")
    func mergeLimitedDisposed() {
        let inner = scheduler.createColdObservable([.next(50, 1), .completed(100)])
        let outer = scheduler.createHotObservable([
            .next(210, inner.asObservable()), .next(220, inner.asObservable()), .next(230, inner.asObservable()),
        ])
        let observer = scheduler.start(disposed: 265) { outer.merge(maxConcurrent: 1) }
        #expect(observer.events == [.next(260, 1)])
        #expect(outer.subscriptions == [Subscription(200, 265)])
        #expect(inner.subscriptions == [Subscription(210, 265)])
    }

    @Test("an error of the outer sequence ends merge(maxConcurrent:) at once")
    func mergeLimitedOuterFails() {
        let inner = scheduler.createColdObservable([.next(50, 1), .completed(100)])
        let outer = scheduler.createHotObservable([
            .next(210, inner.asObservable()), .next(220, inner.asObservable()), .error(240, Oops()),
        ])
        let observer = scheduler.start { outer.merge(maxConcurrent: 1) }
        #expect(observer.events == [.error(240, Oops())])
        #expect(inner.subscriptions == [Subscription(210, 240)])
    }

    @Test("flatMapFirst drops elements while a sequence is under way, without calling its selector")
    func flatMapFirst() {
        let inner = scheduler.createColdObservable([.next(10, 1), .completed(30)])
        let outer = scheduler.createHotObservable([
            .next(210, 1), .next(220, 2), .next(245, 3), .next(250, 4), .completed(260),
        ])
        let calls = Locked<[Int]>([])
        let observer = scheduler.start {
            outer.flatMapFirst { element in
                calls.withLock { $0.append(element) }
                return inner.map { $0 + element * 10 }
            }
        }
        #expect(calls.withLock { $0 } == [1, 3])
        #expect(observer.events == [.next(220, 11), .next(255, 31), .completed(275)])
        #expect(outer.subscriptions == [Subscription(200, 260)])
        #expect(inner.subscriptions == [Subscription(210, 240), Subscription(245, 275)])
    }

    @Test("flatMapFirst ends with the outer sequence when nothing is under way, and with any error")
    func flatMapFirstEnds() {
        let outer = scheduler.createHotObservable([.next(210, 1), .completed(260)])
        let observer = scheduler.start { outer.flatMapFirst { Observable.just($0) } }
        #expect(observer.events == [.next(210, 1), .completed(260)])
        let digits = Observable.of(1, 2)
        #expect(marbles(of: digits.flatMapFirst { _ in Observable<Int>.error(Oops()) }) == "x")
        #expect(marbles(of: digits.flatMapFirst { _ -> Observable<Int> in throw Oops() }) == "x")
        #expect(marbles(of: digits.concat(.error(Oops())).flatMapFirst { _ in Observable<Int>.never() }) == "x")
    }

    @Test("flatMapFirst of many elements needs no deeper stack")
    func flatMapFirstMany() {
        let many = Observable.range(start: 0, count: manySteps).flatMapFirst { _ in Observable.just(1) }
        #expect(marbles(of: many.reduce(0) { $0 + $1 }) == "\(manySteps) |")
    }

    @Test("an element that an inner element brings about is dropped by flatMapFirst")
    func flatMapFirstReentrant() {
        let outer = PublishSubject<Int>(), inner = PublishSubject<Int>()
        let calls = Locked(0)
        let recorder = Recorder<Int>()
        let subscription = outer.flatMapFirst { _ in
            calls.withLock { $0 += 1 }
            return inner
        }.do(onNext: { outer.onNext($0) }).subscribe(recorder)
        outer.onNext(0)
        inner.onNext(1)
        inner.onNext(2)
        #expect(recorder.text == "1 2")
        #expect(calls.withLock { $0 } == 1)
        subscription.dispose()
    }

    @Test("merge(maxConcurrent:) subscribes the next one while another subscription blocks")
    func mergeLimitedBlocked() async {
        let first = PublishSubject<Int>(), second = PublishSubject<Int>()
        let gate = DispatchSemaphore(value: 0), isBlocked = Locked(false)
        let blocking = Observable<Int>.create { observer in
            isBlocked.withLock { $0 = true }
            observer.onNext(gate.wait(timeout: .now() + 60) == .success ? 3 : 0)
            observer.onCompleted()
            return Disposables.create()
        }
        let releasing = Observable<Int>.create { observer in
            observer.onNext(4)
            observer.onCompleted()
            gate.signal()
            return Disposables.create()
        }
        let recorder = Recorder<Int>()
        _ = Observable.of(first.asObservable(), second.asObservable(), blocking, releasing).merge(maxConcurrent: 2)
            .subscribe(recorder)
        DispatchQueue(label: "first").async { first.onCompleted() }
        #expect(await eventually { isBlocked.withLock { $0 } })
        DispatchQueue(label: "second").async { second.onCompleted() }
        #expect(await eventually { recorder.count == 3 })
        #expect(recorder.text == "4 3 |")
    }

    @Test("several threads through merge, merge(maxConcurrent:) and flatMapFirst, with an error or a good end")
    func concurrently() async {
        for fails in [false, true] {
            for _ in 0..<30 {
                let subjects = (0..<3).map { _ in PublishSubject<Int>() }
                let sources = subjects.map { $0.asObservable() }
                let merged = Grammar<Int>(), limited = Grammar<Int>(), first = Grammar<Int>()
                _ = Observable.merge(sources).subscribe(merged)
                _ = Observable.from(sources).merge(maxConcurrent: 3).subscribe(limited)
                let firsts = sources[0].flatMapFirst { _ in sources[1].take(2) }.subscribe(first)
                await withTaskGroup(of: Void.self) { group in
                    for (number, subject) in subjects.enumerated() {
                        group.addTask {
                            for element in 0..<200 { subject.onNext(element) }
                            if fails, number == 2 { subject.onError(Oops()) } else { subject.onCompleted() }
                        }
                    }
                }
                #expect(merged.verdict == "ended well formed")
                #expect(limited.verdict == "ended well formed")
                #expect(first.verdict == "ended well formed")
                if !fails { #expect(merged.elements == 600 && limited.elements == 600) }
                firsts.dispose()
            }
        }
    }
}
