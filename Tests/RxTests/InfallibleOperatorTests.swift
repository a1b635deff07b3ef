import Dispatch
import Rx
import RxTest
import Testing
import TestSupport

@Suite("Operators of Infallible", .leakFree)
struct InfallibleOperatorTests {
    private let digits = Infallible.of(1, 2, 3, 4, 5)

    @Test("map, filter, compactMap, scan, startWith and do go element by element")
    func elementwise() {
        #expect(marbles(of: digits.map { $0 * 10 }) == "10 20 30 40 50 |")
        #expect(marbles(of: digits.filter { $0 % 2 == 1 }) == "1 3 5 |")
        #expect(marbles(of: digits.compactMap { $0 > 3 ? "\($0)!" : nil }) == "4! 5! |")
        #expect(marbles(of: digits.scan(0) { $0 + $1 }) == "1 3 6 10 15 |")
        #expect(marbles(of: digits.scan(into: 1) { $0 *= $1 }) == "1 2 6 24 120 |")
        #expect(marbles(of: digits.startWith(8, 9)) == "8 9 1 2 3 4 5 |")
        #expect(marbles(of: Infallible.just(1, scheduler: CurrentThreadScheduler.instance)) == "1 |")
        let log = Log()
        let infallible = Infallible.just(1).do(
            onNext: { log.note("onNext \($0)") }, afterNext: { log.note("afterNext \($0)") },
            onCompleted: { log.note("onCompleted") }, afterCompleted: { log.note("afterCompleted") },
            onSubscribe: { log.note("onSubscribe") }, onSubscribed: { log.note("onSubscribed") },
            onDispose: { log.note("onDispose") })
        _ = infallible.subscribe(onNext: { _ in log.note("next") }, onCompleted: { log.note("completed") })
        let expected = [
            "onSubscribe", "onNext 1", "next", "afterNext 1", "onCompleted", "completed", "afterCompleted",
            "onSubscribed", "onDispose",
        ]
        #expect(log.text == expected.joined(separator: ", "))
    }

    @Test("take, skip and distinctUntilChanged choose elements")
    func selection() {
        #expect(marbles(of: digits.take(2)) == "1 2 |")
        #expect(marbles(of: digits.skip(3)) == "4 5 |")
        #expect(marbles(of: digits.take(while: { $0 < 3 })) == "1 2 |")
        #expect(marbles(of: digits.take(while: { $0 < 3 }, behavior: .inclusive)) == "1 2 3 |")
        #expect(marbles(of: digits.take(until: { $0 == 3 })) == "1 2 |")
        #expect(marbles(of: digits.take(until: { $0 == 3 }, behavior: .inclusive)) == "1 2 3 |")
        #expect(marbles(of: digits.skip(while: { $0 < 3 })) == "3 4 5 |")
        #expect(marbles(of: Infallible.of(1, 1, 2, 1).distinctUntilChanged()) == "1 2 1 |")
        #expect(marbles(of: digits.distinctUntilChanged { $0 / 2 }) == "1 2 4 |")
        #expect(marbles(of: digits.distinctUntilChanged { $0 / 2 == $1 / 2 }) == "1 2 4 |")
        #expect(marbles(of: digits.distinctUntilChanged({ $0 / 2 }, comparer: { $0 == $1 })) == "1 2 4 |")
        #expect(marbles(of: Infallible.of("a", "b", "cc").distinctUntilChanged(at: \.count)) == "a cc |")
    }

    @Test("take(until:) and skip(until:) follow another sequence, whose error does not pass")
    func otherSequence() {
        let source = PublishRelay<Int>()
        let signal = PublishSubject<Void>()
        let recorders = (0..<4).map { _ in Recorder<Int>() }
        let infallible = source.asInfallible()
        let bag = DisposeBag()
        infallible.take(until: signal).subscribe(recorders[0]).disposed(by: bag)
        infallible.skip(until: signal).subscribe(recorders[1]).disposed(by: bag)
        infallible.take(until: signal.asInfallible(onErrorJustReturn: ())).subscribe(recorders[2]).disposed(by: bag)
        let failing = Observable<Void>.error(Oops())
        infallible.take(until: failing).subscribe(recorders[3]).disposed(by: bag)
        source.accept(1)
        signal.onNext(())
        source.accept(2)
        #expect(recorders.map(\.text) == ["1 |", "2", "1 |", "1 2"])
        #expect(marbles(of: digits.skip(until: failing)) == "")
    }

    @Test("flatMap, flatMapLatest, flatMapFirst and concatMap go on with inner sequences")
    func inner() {
        #expect(marbles(of: Infallible.of(1, 2).flatMap { Infallible.of($0, $0 * 10) }) == "1 10 2 20 |")
        #expect(marbles(of: Infallible.of(1, 2).concatMap { Infallible.of($0, $0 * 10) }) == "1 10 2 20 |")
        #expect(marbles(of: Infallible.of(1, 2).flatMapLatest { Observable.just($0 * 10) }) == "10 20 |")
        #expect(marbles(of: Infallible.of(1, 2).flatMapFirst { Infallible.just($0 * 10) }) == "10 20 |")
        #expect(marbles(of: Infallible.of(1, 2).flatMapFirst { _ in Infallible<Int>.never() }) == "")
    }

    @Test("concat and merge put sequences together")
    func together() {
        let one = Infallible.of(1, 2)
        let two = Infallible.of(3)
        #expect(marbles(of: one.concat(two)) == "1 2 3 |")
        #expect(marbles(of: Infallible.concat(one, two)) == "1 2 3 |")
        #expect(marbles(of: Infallible.concat([one, two])) == "1 2 3 |")
        #expect(marbles(of: Infallible.concat([two, one][...])) == "3 1 2 |")
        #expect(marbles(of: Infallible.merge(.just(4), two)) == "4 3 |")
        #expect(marbles(of: Infallible.merge([.just(4), two])) == "4 3 |")
        #expect(marbles(of: Infallible.merge([.just(4), two][...])) == "4 3 |")
    }

    @Test("combineLatest, zip and withLatestFrom combine elements")
    func combined() {
        let one = Infallible.of(1, 2)
        let two = Infallible.just("a")
        #expect(marbles(of: Infallible.combineLatest(two, two) { $0 + $1 }) == "aa |")
        #expect(marbles(of: Infallible.combineLatest(two, two)) == "(\"a\", \"a\") |")
        #expect(marbles(of: Infallible.combineLatest([two, two]) { $0.joined() }) == "aa |")
        #expect(marbles(of: Infallible.combineLatest([two, two])) == "[\"a\", \"a\"] |")
        let eight = Infallible.combineLatest(two, two, two, two, two, two, two, two) { a, b, c, d, e, f, g, h in
            [a, b, c, d, e, f, g, h].joined()
        }
        #expect(marbles(of: eight) == "aaaaaaaa |")
        #expect(marbles(of: Infallible.zip(one, two) { "\($0)\($1)" }) == "1a |")
        #expect(marbles(of: Infallible.zip(one, one)) == "(1, 1) (2, 2) |")
        #expect(marbles(of: one.withLatestFrom(two)) == "a a |")
        #expect(marbles(of: one.withLatestFrom(two) { "\($0)\($1)" }) == "1a 2a |")
    }

    @Test("withUnretained hands on its object while it is there")
    func unretained() {
        let relay = PublishRelay<Int>()
        let log = Log()
        var owner: Recorder<Int>? = Recorder()
        let subscription = relay.asInfallible().withUnretained(owner!).subscribe(
            onNext: { $0.0.onNext($0.1) }, onCompleted: { log.note("completed") })
        let selected = relay.asInfallible().withUnretained(owner!) { "\($0.count)\($1)" }.subscribe(
            onNext: { log.note($0) })
        relay.accept(5)
        #expect(log.text == "15")
        #expect(owner?.text == "5")
        owner = nil
        relay.accept(6)
        #expect(log.text == "15, completed")
        subscription.dispose()
        selected.dispose()
    }

    @Test("share subscribes once, and debug hands on")
    func shared() {
        let log = Log()
        let relay = PublishRelay<Int>()
        let shared = relay.asInfallible().do(onSubscribe: { log.note("subscribed") }).debug("shared").share(replay: 1)
        let recorders = [Recorder<Int>(), Recorder<Int>()]
        let first = shared.subscribe(recorders[0])
        relay.accept(1)
        let second = shared.subscribe(recorders[1])
        relay.accept(2)
        #expect(recorders.map(\.text) == ["1 2", "1 2"])
        #expect(log.text == "subscribed")
        first.dispose()
        second.dispose()
    }

    @Test("debounce, throttle and take(for:) go by time")
    func time() {
        let scheduler = TestScheduler(initialClock: 0)
        let source = scheduler.createHotObservable([
            .next(210, 1), .next(215, 2), .next(250, 3), .next(300, 4), .completed(320),
        ]).asInfallible(onErrorJustReturn: 0)
        let recorders = (0..<3).map { _ in scheduler.createObserver(Int.self) }
        let bag = DisposeBag()
        scheduler.scheduleAt(200) {
            source.debounce(.seconds(10), scheduler: scheduler).subscribe(recorders[0]).disposed(by: bag)
            source.throttle(.seconds(10), latest: false, scheduler: scheduler).subscribe(recorders[1])
                .disposed(by: bag)
            source.take(for: .seconds(60), scheduler: scheduler).subscribe(recorders[2]).disposed(by: bag)
        }
        scheduler.start()
        #expect(recorders[0].events == [.next(225, 2), .next(260, 3), .next(310, 4), .completed(320)])
        #expect(recorders[1].events == [.next(210, 1), .next(250, 3), .next(300, 4), .completed(320)])
        #expect(recorders[2].events == [.next(210, 1), .next(215, 2), .next(250, 3), .completed(260)])
    }
}
