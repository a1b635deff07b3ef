import Rx
import RxTest
import Testing
import TestSupport

@Suite("Operators on each element, in virtual time", .leakFree)
struct ElementwiseTests {
    private let scheduler = TestScheduler(initialClock: 0)

    @Test("a closure that throws ends the sequence and disposes the source at that time")
    func throwing() {
        let cases: [(String, @Sendable (Observable<Int>) -> Observable<Int>)] = [
            ("map", { $0.map { if $0 == 2 { throw Oops() } else { $0 } } }),
            ("compactMap", { $0.compactMap { if $0 == 2 { throw Oops() } else { $0 } } }),
            ("filter", { $0.filter { if $0 == 2 { throw Oops() } else { true } } }),
            ("scan", { $0.scan(0) { if $1 == 2 { throw Oops() } else { $1 } } }),
            ("scan(into:)", { $0.scan(into: 0) { if $1 == 2 { throw Oops() } else { $0 = $1 } } }),
            ("comparer", { $0.distinctUntilChanged { (_: Int, _: Int) -> Bool in throw Oops() } }),
            ("key", { $0.distinctUntilChanged { (key: Int) -> Int in if key == 2 { throw Oops() } else { key } } }),
        ]
        for (name, operation) in cases {
            let scheduler = TestScheduler(initialClock: 0)
            let source = scheduler.createHotObservable([.next(210, 1), .next(220, 2), .next(230, 3)])
            let observer = scheduler.start { operation(source) }
            #expect(observer.events == [.next(210, 1), .error(220, Oops())], "\(name)")
            #expect(source.subscriptions == [Subscription(200, 220)], "\(name)")
        }
    }

    @Test("the end of the source is the end, at its time")
    func ends() {
        let cases: [@Sendable (Observable<Int>) -> Observable<Int>] = [
            { $0.map { $0 } }, { $0.compactMap { $0 } }, { $0.filter { _ in true } }, { $0.scan(0) { $1 } },
            { $0.distinctUntilChanged() }, { $0.do(onNext: { _ in }) }, { $0.skip(0) }, { $0.take(5) },
            { $0.take(while: { _ in true }) }, { $0.skip(while: { _ in false }) }, { $0.startWith() },
            { $0.enumerated().map { $0.element } }, { $0.catchAndReturn(0).asObservable() }, { $0.retry(1) },
            { $0.ifEmpty(default: 0) }, { $0.materialize().dematerialize() }, { $0.amb(.never()) },
            { $0.concat(.empty()) }, { .concat($0) }, { .merge($0) }, { .zip($0, $0) { a, _ in a } },
        ]
        for (number, operation) in cases.enumerated() {
            let scheduler = TestScheduler(initialClock: 0)
            let source = scheduler.createHotObservable([.next(210, 1), .next(220, 2), .completed(230)])
            let observer = scheduler.start { operation(source) }
            #expect(observer.events == [.next(210, 1), .next(220, 2), .completed(230)], "case \(number)")
            #expect(source.subscriptions.allSatisfy { $0 == Subscription(200, 230) }, "case \(number)")
        }
    }

    @Test("reduce sends its result at the completion; mapResult may throw")
    func reduce() {
        let source = scheduler.createHotObservable([.next(210, 1), .next(220, 2), .completed(230)])
        let observer = scheduler.start { source.reduce(10, accumulator: +, mapResult: { $0 * 2 }) }
        #expect(observer.events == [.next(230, 26), .completed(230)])
        let thrown = Observable.of(1).reduce(0, accumulator: +, mapResult: { _ -> Int in throw Oops() })
        #expect(marbles(of: thrown) == "x")
        let second = TestScheduler(initialClock: 0)
        let endless = second.createHotObservable([.next(210, 1), .next(220, 2), .next(230, 3)])
        let failed = second.start { endless.reduce(0) { if $1 == 2 { throw Oops() } else { $0 + $1 } } }
        #expect(failed.events == [.error(220, Oops())])
        #expect(endless.subscriptions == [Subscription(200, 220)])
    }

    @Test("distinctUntilChanged in its five forms")
    func distinct() {
        struct Item: Sendable {
            let name: String
            let size: Int
        }
        let items = Observable.of(Item(name: "a", size: 1), Item(name: "A", size: 1), Item(name: "b", size: 1))
        func names(_ observable: Observable<Item>) -> String { marbles(of: observable.map(\.name)) }
        #expect(marbles(of: Observable.of(1, 1, 2, 1).distinctUntilChanged()) == "1 2 1 |")
        #expect(names(items.distinctUntilChanged { $0.size }) == "a |")
        #expect(names(items.distinctUntilChanged { $0.name == $1.name }) == "a A b |")
        #expect(
            names(items.distinctUntilChanged({ $0.name }, comparer: { $0.uppercased() == $1.uppercased() })) == "a b |")
        #expect(names(items.distinctUntilChanged(at: \.size)) == "a |")
    }

    @Test("withUnretained hands on a live object, and completes at the first element after it went")
    func withUnretained() {
        final class Owner: Sendable {}
        let subject = PublishSubject<Int>()
        let recorder = Recorder<Int>()
        var owner: Owner? = Owner()
        weak let watched = owner
        if let owner {
            _ = subject.withUnretained(owner) { object, element in
                withExtendedLifetime(object) { element * 10 }
            }.subscribe(recorder)
        }
        subject.onNext(1)
        owner = nil
        #expect(watched == nil)
        #expect(recorder.text == "10")
        subject.onNext(2)
        #expect(recorder.text == "10 |")
        #expect(!subject.hasObservers)
    }

    @Test("withUnretained pairs object and element; errors and ends pass")
    func withUnretainedPairs() {
        final class Owner: Sendable {}
        let owner = Owner()
        #expect(marbles(of: Observable.of(1, 2).withUnretained(owner).map { $1 }) == "1 2 |")
        #expect(
            marbles(of: Observable.of(1, 2).withUnretained(owner).map { object, _ in object === owner })
                == "true true |")
        #expect(marbles(of: Observable<Int>.error(Oops()).withUnretained(owner).map { $1 }) == "x")
    }

    @Test("materialize ends well after an error, and dematerialize stops at the first end")
    func materialize() {
        let source = scheduler.createHotObservable([.next(210, 1), .error(220, Oops())])
        let observer = scheduler.start { source.materialize() }
        #expect(observer.events.map(\.time) == [210, 220, 220])
        #expect(observer.events.map(\.value.isStopEvent) == [false, false, true])
        #expect(observer.events[1].value.element?.error is Oops)

        let second = TestScheduler(initialClock: 0)
        let events = second.createHotObservable([
            .next(210, Event.next(1)), .next(220, Event<Int>.completed), .next(230, Event.next(2)),
        ])
        let undone = second.start { events.dematerialize() }
        #expect(undone.events == [.next(210, 1), .completed(220)])
        #expect(events.subscriptions == [Subscription(200, 220)])
    }

    @Test("switchLatest follows the latest, and disposes the one before at that time")
    func switchLatest() {
        let first = scheduler.createColdObservable([.next(10, 1), .next(50, 2), .completed(60)])
        let second = scheduler.createColdObservable([.next(10, 3), .completed(40)])
        let outer = scheduler.createHotObservable([
            .next(210, first.asObservable()), .next(240, second.asObservable()), .completed(250),
        ])
        let observer = scheduler.start { outer.switchLatest() }
        #expect(observer.events == [.next(220, 1), .next(250, 3), .completed(280)])
        #expect(first.subscriptions == [Subscription(210, 240)])
        #expect(second.subscriptions == [Subscription(240, 280)])
        #expect(outer.subscriptions == [Subscription(200, 250)])
    }

    @Test("subscribe(on:) subscribes and disposes a turn of its scheduler later, but releases a source that ends")
    func subscribeOn() {
        let scheduler = scheduler
        let completed = scheduler.createHotObservable([.next(210, 1), .completed(300)])
        let observer = scheduler.start { completed.subscribe(on: scheduler) }
        #expect(observer.events == [.next(210, 1), .completed(300)])
        #expect(completed.subscriptions == [Subscription(201, 300)])

        let second = TestScheduler(initialClock: 0)
        let failing = second.createHotObservable([.error(300, Oops(), Int.self)])
        let failed = second.start { failing.subscribe(on: second) }
        #expect(failed.events == [.error(300, Oops())])
        #expect(failing.subscriptions == [Subscription(201, 300)])

        let third = TestScheduler(initialClock: 0)
        let open = third.createHotObservable([.next(200, 0), .next(210, 1)])
        let disposed = third.start { open.subscribe(on: third) }
        #expect(disposed.events == [.next(210, 1)])
        #expect(open.subscriptions == [Subscription(201, 1001)])
    }

    @Test("subscribe(on:) disposed before its turn never subscribes")
    func subscribeOnDisposed() {
        let scheduler = scheduler
        let source = scheduler.createHotObservable([.next(210, 1)])
        let observer = scheduler.start(disposed: 200) { source.subscribe(on: scheduler) }
        #expect(observer.events == [])
        #expect(source.subscriptions == [])
    }

    @Test("errors made synchronously by any stage are caught below it")
    func catchSynchronously() {
        let thrown = Observable.of(1, 2, 3).map { if $0 == 2 { throw Oops() } else { $0 } }
        #expect(marbles(of: thrown.catchAndReturn(9)) == "1 9 |")
        #expect(
            marbles(
                of: Observable<Int>.create { observer in
                    observer.onError(Oops())
                    observer.onNext(1)
                    return Disposables.create()
                }.catch { _ in .of(7, 8) }) == "7 8 |")
        #expect(marbles(of: Observable<Int>.deferred { throw Oops() }.catchAndReturn(1)) == "1 |")
        #expect(
            marbles(of: Observable.of(1, 2).flatMap { _ -> Observable<Int> in throw Oops() }.catchAndReturn(1)) == "1 |"
        )
    }

    @Test("Event.map transforms elements and turns what is thrown into an error; mapObserver hands on the same")
    func events() {
        #expect(Event.next(1).map { $0 + 1 } == Event.next(2))
        #expect(Event.next(1).map { _ -> Int in throw Oops() } == Event.error(Oops()))
        #expect(Event<Int>.completed.map { "\($0)" } == Event.completed)
        #expect(Event<Int>.error(Oops()).map { "\($0)" } == Event.error(Oops()))
        let recorder = Recorder<String>()
        let observer = recorder.mapObserver { (number: Int) -> String in
            if number == 2 { throw Oops() }
            return "<\(number)>"
        }
        for number in 1...2 { observer.onNext(number) }
        #expect(recorder.text == "<1> x")
    }
}
