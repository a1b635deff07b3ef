import Rx
import RxTest
import Testing
import TestSupport

@Suite("take and skip, in virtual time", .leakFree)
struct TakeSkipTests {
    private let scheduler = TestScheduler(initialClock: 0)

    private func digits() -> TestableObservable<Int> {
        scheduler.createHotObservable([
            .next(150, 0), .next(210, 1), .next(220, 2), .next(230, 3), .next(240, 4), .completed(250),
        ])
    }

    private func signal(_ events: Recorded<Event<String>>...) -> TestableObservable<String> {
        scheduler.createHotObservable(events)
    }

    @Test("take(_:) disposes its source at the time of the last element")
    func take() {
        let source = digits()
        let observer = scheduler.start { source.take(2) }
        #expect(observer.events == [.next(210, 1), .next(220, 2), .completed(220)])
        #expect(source.subscriptions == [Subscription(200, 220)])
    }

    @Test("take(0) never subscribes")
    func takeNone() {
        let source = digits()
        let observer = scheduler.start { source.take(0) }
        #expect(observer.events == [.completed(200)])
        #expect(source.subscriptions == [])
    }

    @Test("take(until:) ends with an element of the other and disposes both")
    func takeUntil() {
        let source = digits(), other = signal(.next(225, "a"), .next(228, "b"))
        let observer = scheduler.start { source.take(until: other) }
        #expect(observer.events == [.next(210, 1), .next(220, 2), .completed(225)])
        #expect(source.subscriptions == [Subscription(200, 225)])
        #expect(other.subscriptions == [Subscription(200, 225)])
    }

    @Test("take(until:) forwards the other's error, and takes no notice of its completion")
    func takeUntilOtherEnds() {
        let source = digits(), failing = signal(.error(225, Oops()))
        let failed = scheduler.start { source.take(until: failing) }
        #expect(failed.events == [.next(210, 1), .next(220, 2), .error(225, Oops())])
        #expect(source.subscriptions == [Subscription(200, 225)])

        let second = TestScheduler(initialClock: 0)
        let whole = second.createHotObservable([.next(210, 1), .completed(250)])
        let empty = second.createHotObservable([.completed(225, Int.self)])
        let observer = second.start { whole.take(until: empty) }
        #expect(observer.events == [.next(210, 1), .completed(250)])
        #expect(empty.subscriptions == [Subscription(200, 225)])
    }

    @Test("take(until:) disposes the other when the source ends first")
    func takeUntilSourceEnds() {
        let source = digits(), other = signal(.next(300, "a"))
        let observer = scheduler.start { source.take(until: other) }
        #expect(observer.events.count == 5)
        #expect(other.subscriptions == [Subscription(200, 250)])
    }

    @Test("take(while:) and take(until:) with a predicate end at the element that decides")
    func predicates() {
        let cases: [(Observable<Int>) -> Observable<Int>] = [
            { $0.take(while: { $0 < 3 }) }, { $0.take(while: { $0 < 3 }, behavior: .inclusive) },
            { $0.take(until: { $0 == 3 }) }, { $0.take(until: { $0 == 3 }, behavior: .inclusive) },
        ]
        for (number, operation) in cases.enumerated() {
            let scheduler = TestScheduler(initialClock: 0)
            let source = scheduler.createHotObservable([.next(210, 1), .next(220, 2), .next(230, 3), .next(240, 1)])
            let taken = operation(source)
            let observer = scheduler.start { taken }
            let inclusive = number % 2 == 1
            #expect(
                observer.events == [.next(210, 1), .next(220, 2)] + (inclusive ? [.next(230, 3)] : [])
                    + [.completed(230)])
            #expect(source.subscriptions == [Subscription(200, 230)])
        }
    }

    @Test("a predicate that throws is the error")
    func predicateThrows() {
        let source = digits()
        let observer = scheduler.start { source.take(while: { if $0 == 2 { throw Oops() } else { true } }) }
        #expect(observer.events == [.next(210, 1), .error(220, Oops())])
        #expect(source.subscriptions == [Subscription(200, 220)])
        let all = Observable.of(1, 2)
        #expect(marbles(of: all.take(until: { _ in throw Oops() })) == "x")
        #expect(marbles(of: all.skip(while: { _ in throw Oops() })) == "x")
    }

    @Test("takeLast sends what it kept at the completion, and nothing at an error")
    func takeLast() {
        let source = digits()
        let observer = scheduler.start { source.takeLast(2) }
        #expect(observer.events == [.next(250, 3), .next(250, 4), .completed(250)])
        #expect(source.subscriptions == [Subscription(200, 250)])
        let few = Observable.of(1, 2)
        #expect(marbles(of: few.takeLast(9)) == "1 2 |")
        #expect(marbles(of: few.takeLast(0)) == "|")
        #expect(marbles(of: few.concat(.error(Oops())).takeLast(1)) == "x")
        #expect(marbles(of: few.takeLast(2).take(1)) == "1 |")
        let subscription = SerialDisposable()
        let recorder = Recorder<Int>()
        let subject = PublishSubject<Int>()
        subscription.disposable = subject.takeLast(2).do(afterNext: { _ in subscription.dispose() }).subscribe(recorder)
        for element in 1...3 { subject.onNext(element) }
        subject.onCompleted()
        #expect(recorder.text == "2")
    }

    @Test("skip(while:) passes all from the first on that does not hold")
    func skipWhile() {
        let source = digits()
        let observer = scheduler.start { source.skip(while: { $0 != 3 }) }
        #expect(observer.events == [.next(230, 3), .next(240, 4), .completed(250)])
        #expect(marbles(of: Observable.of(1, 2, 1).skip(while: { $0 < 2 })) == "2 1 |")
        #expect(marbles(of: Observable.of(1, 1).skip(while: { $0 < 2 })) == "|")
    }

    @Test("skip(until:) passes what comes after the other's first element, and disposes that")
    func skipUntil() {
        let source = digits(), other = signal(.next(225, "a"), .next(228, "b"))
        let observer = scheduler.start { source.skip(until: other) }
        #expect(observer.events == [.next(230, 3), .next(240, 4), .completed(250)])
        #expect(source.subscriptions == [Subscription(200, 250)])
        #expect(other.subscriptions == [Subscription(200, 225)])
    }

    @Test("skip(until:) has no event when the source completes first, or the other without an element")
    func skipUntilNothing() {
        let source = digits(), other = signal(.next(300, "a"))
        let late = scheduler.start { source.skip(until: other) }
        #expect(late.events == [])
        #expect(source.subscriptions == [Subscription(200, 250)])
        #expect(other.subscriptions == [Subscription(200, 250)])

        let second = TestScheduler(initialClock: 0)
        let whole = second.createHotObservable([.next(210, 1), .completed(250)])
        let empty = second.createHotObservable([.completed(225, Int.self)])
        let observer = second.start { whole.skip(until: empty) }
        #expect(observer.events == [])
        #expect(whole.subscriptions == [Subscription(200, 250)])
        #expect(empty.subscriptions == [Subscription(200, 225)])
    }

    @Test("skip(until:) forwards errors of both")
    func skipUntilFailing() {
        let source = digits(), other = signal(.error(225, Oops()))
        let observer = scheduler.start { source.skip(until: other) }
        #expect(observer.events == [.error(225, Oops())])
        #expect(source.subscriptions == [Subscription(200, 225)])
        let failing = Observable<Int>.error(Oops()).skip(until: Observable<Int>.never())
        #expect(marbles(of: failing) == "x")
    }

    @Test("element(at:) ends with its element; too few are an error")
    func elementAt() {
        let source = digits()
        let observer = scheduler.start { source.element(at: 1) }
        #expect(observer.events == [.next(220, 2), .completed(220)])
        #expect(source.subscriptions == [Subscription(200, 220)])

        let second = TestScheduler(initialClock: 0)
        let few = second.createHotObservable([.next(210, 1), .completed(250)])
        let failed = second.start { few.element(at: 1) }
        #expect(failed.events == [.error(250, RxError.argumentOutOfRange)])
        #expect(marbles(of: Observable<Int>.error(Oops()).element(at: 0)) == "x")
    }

    @Test("ifEmpty sends its default at the completion of an empty source")
    func ifEmptyDefault() {
        let empty = scheduler.createHotObservable([.next(150, 1), .completed(230)])
        let observer = scheduler.start { empty.ifEmpty(default: 7) }
        #expect(observer.events == [.next(230, 7), .completed(230)])
        #expect(marbles(of: Observable.of(1).ifEmpty(default: 7)) == "1 |")
        #expect(marbles(of: Observable<Int>.error(Oops()).ifEmpty(default: 7)) == "x")
    }

    @Test("ifEmpty(switchTo:) subscribes the other at that time, and only then")
    func ifEmptySwitch() {
        let empty = scheduler.createHotObservable([.completed(230, Int.self)])
        let other = scheduler.createColdObservable([.next(10, 1), .completed(20)])
        let observer = scheduler.start { empty.ifEmpty(switchTo: other.asObservable()) }
        #expect(observer.events == [.next(240, 1), .completed(250)])
        #expect(empty.subscriptions == [Subscription(200, 230)])
        #expect(other.subscriptions == [Subscription(230, 250)])
        #expect(marbles(of: Observable.of(1).ifEmpty(switchTo: .just(2))) == "1 |")
        let subject = PublishSubject<Int>()
        Observable<Int>.empty().ifEmpty(switchTo: subject).subscribe().dispose()
        #expect(!subject.hasObservers)
    }

    @Test("enumerated counts anew for each subscriber")
    func enumerated() {
        let counted = Observable.of("a", "b").enumerated().map { "\($0.index)\($0.element)" }
        #expect(marbles(of: counted) == "0a 1b |")
        #expect(marbles(of: counted) == "0a 1b |")
    }

    @Test("the other of take(until:) and skip(until:) on another thread: the grammar holds")
    func concurrently() async {
        for _ in 0..<100 {
            let source = PublishSubject<Int>(), other = PublishSubject<Int>()
            let taken = Grammar<Int>(), skipped = Grammar<Int>()
            _ = source.take(until: other).subscribe(taken)
            let rest = source.skip(until: other).subscribe(skipped)
            await withTaskGroup(of: Void.self) { group in
                group.addTask { for element in 0..<300 { source.onNext(element) } }
                group.addTask { other.onNext(0) }
            }
            source.onCompleted()
            #expect(taken.verdict == "ended well formed")
            #expect(skipped.verdict == "ended well formed")
            // The element that is under way when the other sends may be in both.
            #expect(taken.elements + skipped.elements <= 301)
            rest.dispose()
        }
    }
}
