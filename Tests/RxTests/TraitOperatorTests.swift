import Dispatch
import Rx
import RxTest
import Testing
import TestSupport

@Suite("Operators of Single, Maybe and Completable", .leakFree)
struct TraitOperatorTests {
    // MARK: - Any trait, in virtual time

    @Test("delay, delaySubscription, observe(on:) and subscribe(on:) hop where the operators of observables do")
    func hops() {
        let scheduler = TestScheduler(initialClock: 0)
        func events(_ single: @escaping @Sendable () -> Single<Int>) -> [Recorded<Event<Int>>] {
            scheduler.start { single().asObservable() }.events
        }
        let first = Single.just(1)
        #expect(
            events { first.delaySubscription(.seconds(2), scheduler: scheduler) } == [.next(202, 1), .completed(202)])
        let second = TestScheduler(initialClock: 0)
        let delayed = second.start { first.delay(.seconds(2), scheduler: second).asObservable() }
        #expect(delayed.events == [.next(202, 1), .completed(203)])
        let third = TestScheduler(initialClock: 0)
        let moved = third.start { first.subscribe(on: third).asObservable() }
        #expect(moved.events == [.next(201, 1), .completed(201)])
        let fourth = TestScheduler(initialClock: 0)
        let timer = fourth.start { Single<Int>.timer(.seconds(2), scheduler: fourth).asObservable() }
        #expect(timer.events == [.next(202, 0), .completed(202)])
        let fifth = TestScheduler(initialClock: 0)
        let scheduled = fifth.start { Maybe.just(3, scheduler: fifth).asObservable() }
        #expect(scheduled.events == [.next(201, 3), .completed(202)])
    }

    @Test("timeout fails, or goes on with another")
    func timeout() {
        let scheduler = TestScheduler(initialClock: 0)
        let late = scheduler.createColdObservable([.next(50, 1), .completed(50)])
        let failing = scheduler.start {
            late.asSingle().timeout(.seconds(20), scheduler: scheduler).asObservable()
        }
        #expect(failing.events.map(\.time) == [220])
        #expect(failing.events.first?.value.error is RxError)
        #expect(late.subscriptions == [Subscription(200, 220)])

        let again = TestScheduler(initialClock: 0)
        let slow = again.createColdObservable([.next(50, 1), .completed(50)])
        let other = again.createColdObservable([.next(10, 2), .completed(10)])
        let replaced = again.start {
            slow.asSingle().timeout(.seconds(20), other: other.asSingle(), scheduler: again).asObservable()
        }
        #expect(replaced.events == [.next(230, 2), .completed(230)])
        #expect(other.subscriptions == [Subscription(220, 230)])
    }

    @Test("retry, retry(when:) and catch start anew after an error")
    func afterErrors() {
        let attempts = Locked(0)
        let second = Single<Int>.deferred {
            let attempt = attempts.withLock {
                $0 += 1; return $0
            }
            if attempt % 2 == 1 { throw Oops() }
            return .just(attempt)
        }
        #expect(marbles(of: second.retry(1)) == "x")
        attempts.withLock { $0 = 0 }
        #expect(marbles(of: second.retry(2)) == "2 |")
        attempts.withLock { $0 = 0 }
        #expect(marbles(of: second.retry { (errors: Observable<any Error>) in errors.map { _ in } }) == "2 |")
        attempts.withLock { $0 = 0 }
        #expect(marbles(of: second.retry { (errors: Observable<Oops>) in errors.map { _ in } }) == "2 |")
        #expect(marbles(of: second.retry { (errors: Observable<RxError>) in errors.map { _ in } }) == "x")
        #expect(marbles(of: Maybe<Int>.error(Oops()).catch { _ in .empty() }) == "|")
        #expect(marbles(of: Completable.error(Oops()).catch { throw $0 }) == "x")
        #expect(marbles(of: Single<Int>.error(Oops()).catchAndReturn(9)) == "9 |")
        #expect(marbles(of: Maybe<Int>.error(Oops()).catchAndReturn(9)) == "9 |")
    }

    @Test("using disposes its resource with the subscription; debug hands everything on")
    func using() {
        let log = Log()
        let single = Single.using({ AnonymousResource { log.note("disposed") } }) { _ in Single.just(1).debug("using") }
        #expect(marbles(of: single) == "1 |")
        #expect(log.text == "disposed")
    }

    @Test("the hooks of do are called in place, around the subscriber's")
    func doInPlace() {
        let log = Log()
        _ = Single.just(1).do(
            onSuccess: { log.note("onSuccess \($0)") }, afterSuccess: { log.note("afterSuccess \($0)") },
            onSubscribe: { log.note("onSubscribe") }, onSubscribed: { log.note("onSubscribed") },
            onDispose: { log.note("onDispose") }
        ).subscribe(onSuccess: { log.note("success \($0)") }, onDisposed: { log.note("disposed") })
        // A single that succeeds while it is being subscribed is released after that.
        #expect(
            log.text == "onSubscribe, onSuccess 1, success 1, disposed, afterSuccess 1, onSubscribed, onDispose")
        let failures = Log()
        _ = Single<Int>.error(Oops()).do(
            onError: { _ in failures.note("onError") }, afterError: { _ in failures.note("afterError") },
            onDispose: { failures.note("onDispose") }
        ).subscribe(onFailure: { _ in failures.note("failure") }, onDisposed: { failures.note("disposed") })
        #expect(failures.text == "onError, failure, disposed, afterError, onDispose")
    }

    @Test("do of a maybe gets element and end, do of a completable the end; what they throw is the error")
    func doOfOthers() {
        let log = Log()
        _ = Maybe.just(1).do(
            onNext: { log.note("next \($0)") }, afterNext: { log.note("afterNext \($0)") },
            onCompleted: { log.note("completed") }, afterCompleted: { log.note("afterCompleted") }
        ).subscribe()
        _ = Completable.empty().do(
            onCompleted: { log.note("done") }, afterCompleted: { log.note("afterDone") }
        ).subscribe()
        #expect(log.text == "next 1, afterNext 1, completed, afterCompleted, done, afterDone")
        #expect(marbles(of: Single.just(1).do(onSuccess: { _ in throw Oops() })) == "x")
        #expect(marbles(of: Maybe<Int>.empty().do(onCompleted: { throw Oops() })) == "x")
        #expect(marbles(of: Completable.empty().do(onCompleted: { throw Oops() })) == "x")
    }

    // MARK: - Elements

    @Test("map, filter, compactMap and flatMap of a single")
    func singleElements() {
        let one = Single.just(1)
        #expect(marbles(of: one.map { $0 * 10 }) == "10 |")
        #expect(marbles(of: one.map { _ -> Int in throw Oops() }) == "x")
        #expect(marbles(of: one.filter { $0 > 1 }) == "|")
        #expect(marbles(of: one.filter { $0 > 0 }) == "1 |")
        #expect(marbles(of: one.filter { _ in throw Oops() }) == "x")
        #expect(marbles(of: Single.just("a").compactMap { Int($0) }) == "|")
        #expect(marbles(of: Single.just("7").compactMap { Int($0) }) == "7 |")
        #expect(marbles(of: one.flatMap { .just($0 + 1) }) == "2 |")
        #expect(marbles(of: one.flatMap { _ in Single<Int>.error(Oops()) }) == "x")
        #expect(marbles(of: one.flatMap { _ -> Single<Int> in throw Oops() }) == "x")
        #expect(marbles(of: one.flatMapMaybe { _ in Maybe<Int>.empty() }) == "|")
        #expect(marbles(of: one.flatMapCompletable { _ in .empty() }) == "|")
        #expect(marbles(of: one.flatMapCompletable { _ in .error(Oops()) }) == "x")
        #expect(marbles(of: one.asMaybe()) == "1 |")
        #expect(marbles(of: one.asCompletable()) == "|")
        #expect(marbles(of: Single.just(3, scheduler: CurrentThreadScheduler.instance)) == "3 |")
    }

    @Test("map, filter, compactMap, flatMap and ifEmpty of a maybe")
    func maybeElements() {
        let one = Maybe.just(1)
        let none = Maybe<Int>.empty()
        #expect(marbles(of: one.map { $0 * 10 }) == "10 |")
        #expect(marbles(of: none.map { $0 * 10 }) == "|")
        #expect(marbles(of: one.filter { $0 > 1 }) == "|")
        #expect(marbles(of: Maybe.just("7").compactMap { Int($0) }) == "7 |")
        #expect(marbles(of: one.flatMap { .just($0 + 1) }) == "2 |")
        #expect(marbles(of: none.flatMap { .just($0 + 1) }) == "|")
        #expect(marbles(of: none.ifEmpty(default: 5)) == "5 |")
        #expect(marbles(of: one.ifEmpty(default: 5)) == "1 |")
        #expect(marbles(of: none.ifEmpty(switchTo: Maybe.just(5))) == "5 |")
        #expect(marbles(of: none.ifEmpty(switchTo: Maybe<Int>.empty())) == "|")
        #expect(marbles(of: none.ifEmpty(switchTo: Single.just(5))) == "5 |")
        #expect(marbles(of: one.ifEmpty(switchTo: Single.just(5))) == "1 |")
    }

    // MARK: - Several

    @Test("zip of singles and maybes combines what each has, or fails, or ends")
    func zip() {
        let one = Single.just(1)
        let two = Single.just("2")
        #expect(marbles(of: Single.zip(one, two) { "\($0)\($1)" }) == "12 |")
        #expect(marbles(of: Single.zip(one, two)) == "(1, \"2\") |")
        let eight = Single.zip(one, one, one, one, one, one, one, two) { a, b, c, d, e, f, g, h in
            [a, b, c, d, e, f, g].map(String.init).joined() + h
        }
        #expect(marbles(of: eight) == "11111112 |")
        #expect(marbles(of: Single.zip([one, one, one]) { $0.reduce(0, +) }) == "3 |")
        #expect(marbles(of: Single.zip([one, one])) == "[1, 1] |")
        #expect(marbles(of: Single.zip([Single<Int>]())) == "[] |")
        #expect(marbles(of: Single.zip([Single<Int>]()) { _ -> Int in throw Oops() }) == "x")
        #expect(marbles(of: Single.zip(one, Single<Int>.error(Oops())) { $0 + $1 }) == "x")
        #expect(marbles(of: Single.zip(one, two) { _, _ -> Int in throw Oops() }) == "x")
        #expect(marbles(of: Maybe.zip(Maybe.just(1), Maybe.just(2)) { $0 + $1 }) == "3 |")
        #expect(marbles(of: Maybe.zip(Maybe.just(1), Maybe.just(2))) == "(1, 2) |")
        #expect(marbles(of: Maybe.zip(Maybe.just(1), Maybe<Int>.empty()) { $0 + $1 }) == "|")
    }

    @Test("zip waits for the last, and an error disposes the others")
    func zipInTime() {
        let scheduler = TestScheduler(initialClock: 0)
        let early = scheduler.createColdObservable([.next(10, 1), .completed(10)])
        let late = scheduler.createColdObservable([.next(40, 2), .completed(40)])
        let sum = scheduler.start { Single.zip(early.asSingle(), late.asSingle()) { $0 + $1 }.asObservable() }
        #expect(sum.events == [.next(240, 3), .completed(240)])
        let again = TestScheduler(initialClock: 0)
        let failing = again.createColdObservable([Recorded.error(10, Oops(), Int.self)])
        let open = again.createColdObservable([.next(40, 2), .completed(40)])
        let failed = again.start { Single.zip(failing.asSingle(), open.asSingle()) { $0 + $1 }.asObservable() }
        #expect(failed.events.map(\.time) == [210])
        #expect(open.subscriptions == [Subscription(200, 210)])
    }

    @Test("completables one after the other, and all at once")
    func completables() {
        let scheduler = TestScheduler(initialClock: 0)
        let first = scheduler.createColdObservable([Recorded.completed(10, Never.self)])
        let second = scheduler.createColdObservable([Recorded.completed(20, Never.self)])
        let after = scheduler.start { first.asCompletable().andThen(second.asCompletable()).asObservable() }
        #expect(after.events.map(\.time) == [230])
        #expect(first.subscriptions == [Subscription(200, 210)])
        #expect(second.subscriptions == [Subscription(210, 230)])

        let together = TestScheduler(initialClock: 0)
        let third = together.createColdObservable([Recorded.completed(10, Never.self)])
        let fourth = together.createColdObservable([Recorded.completed(20, Never.self)])
        let both = together.start { Completable.zip(third.asCompletable(), fourth.asCompletable()).asObservable() }
        #expect(both.events.map(\.time) == [220])
        #expect(third.subscriptions == [Subscription(200, 210)])
        #expect(fourth.subscriptions == [Subscription(200, 220)])
    }

    @Test("concat and zip of completables take sequences, collections and lists; an error ends them")
    func completableForms() {
        let log = Log()
        let steps = (1...3).map { number in Completable.empty().do(onSubscribe: { log.note("\(number)") }) }
        #expect(marbles(of: Completable.concat(steps)) == "|")
        #expect(marbles(of: Completable.concat(steps[0], steps[1])) == "|")
        #expect(marbles(of: Completable.concat(Countdown(from: 1) { _ in steps[2] })) == "|")
        #expect(marbles(of: steps[0].concat(steps[1])) == "|")
        #expect(marbles(of: Completable.zip(steps)) == "|")
        #expect(marbles(of: Completable.zip(steps[0], steps[1])) == "|")
        #expect(marbles(of: Completable.zip(steps[1...])) == "|")
        #expect(marbles(of: Completable.zip([Completable]())) == "|")
        #expect(marbles(of: Completable.concat([Completable]())) == "|")
        #expect(log.text == "1, 2, 3, 1, 2, 3, 1, 2, 1, 2, 3, 1, 2, 2, 3")
        let stops = Log()
        let failing = Completable.concat(.error(Oops()), .empty().do(onSubscribe: { stops.note("subscribed") }))
        #expect(marbles(of: failing) == "x")
        #expect(stops.text == "")
    }

    @Test("andThen goes on with a single, a maybe, a completable or an observable, or not after an error")
    func andThen() {
        let done = Completable.empty()
        #expect(marbles(of: done.andThen(Single.just(1))) == "1 |")
        #expect(marbles(of: done.andThen(Maybe<Int>.empty())) == "|")
        #expect(marbles(of: done.andThen(Completable.empty())) == "|")
        #expect(marbles(of: done.andThen(Observable.of(1, 2))) == "1 2 |")
        #expect(marbles(of: Completable.error(Oops()).andThen(Single.just(1))) == "x")
        #expect(marbles(of: Completable.never().andThen(Single.just(1))) == "")
    }

    @Test("a hundred thousand completables one after the other need no deeper stack")
    func deepConcat() {
        let done = Completable.concat(Countdown(from: 100_000) { _ in Completable.empty() })
        let log = Log()
        _ = done.subscribe(onCompleted: { log.note("completed") })
        #expect(log.text == "completed")
    }

    @Test("a failure that nobody handles goes to the hook")
    func unhandled() {
        // The hook is the process's own: other tests may fail meanwhile, with errors of other types.
        struct Mine: Error {}
        let log = Log()
        let old = Hooks.defaultErrorHandler
        Hooks.defaultErrorHandler = { _, error in if error is Mine { log.note("unhandled") } }
        defer { Hooks.defaultErrorHandler = old }
        _ = Single<Int>.error(Mine()).subscribe(onSuccess: { _ in })
        _ = Maybe<Int>.error(Mine()).subscribe(with: log, onSuccess: { _, _ in })
        _ = Completable.error(Mine()).subscribe()
        _ = Single<Int>.error(Mine()).subscribe(onFailure: { _ in log.note("handled") })
        #expect(log.text == "unhandled, unhandled, unhandled, handled")
    }
}

private final class AnonymousResource: Disposable {
    private let action: @Sendable () -> Void
    init(_ action: @escaping @Sendable () -> Void) { self.action = action }
    func dispose() { action() }
}

/// A sequence that is no collection, and makes its elements when they are asked for.
private struct Countdown<Element>: Sequence, IteratorProtocol, Sendable {
    private var left: Int
    private let make: @Sendable (Int) -> Element

    init(from count: Int, _ make: @escaping @Sendable (Int) -> Element) {
        left = count
        self.make = make
    }

    mutating func next() -> Element? {
        if left == 0 { return nil }
        left -= 1
        return make(left)
    }
}
