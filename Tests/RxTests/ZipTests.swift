import Rx
import RxTest
import Testing
import TestSupport

@Suite("zip", .leakFree)
struct ZipTests {
    private let scheduler = TestScheduler(initialClock: 0)

    private func hot(_ events: [Recorded<Event<Int>>]) -> TestableObservable<Int> {
        scheduler.createHotObservable([.next(150, 1)] + events)
    }

    @Test("elements wait for their partners, in order")
    func pairs() {
        let left = hot([.next(205, 1), .next(210, 2), .next(240, 3), .completed(280)])
        let right = hot([.next(220, 10), .next(250, 20), .next(260, 30), .completed(290)])
        let observer = scheduler.start { Observable.zip(left, right) { $0 + $1 } }
        #expect(observer.events == [.next(220, 11), .next(250, 22), .next(260, 33), .completed(290)])
        #expect(left.subscriptions == [Subscription(200, 280)])
        #expect(right.subscriptions == [Subscription(200, 290)])
    }

    @Test("an element without a possible partner does not end it; the end of the last source does")
    func elementWithoutPartner() {
        let empty = hot([.completed(210)])
        let other = hot([.next(215, 2), .completed(220)])
        let observer = scheduler.start { Observable.zip(empty, other) { $0 + $1 } }
        #expect(observer.events == [.completed(220)])
        #expect(empty.subscriptions == [Subscription(200, 210)])
        #expect(other.subscriptions == [Subscription(200, 220)])
    }

    @Test("an error is sent although no further pair is possible", arguments: [true, false])
    func lateError(asCollection: Bool) {
        let short = hot([.next(205, 1), .completed(210)])
        let long = hot([.next(206, 2), .next(215, 3), .error(220, Oops())])
        let observer = scheduler.start {
            asCollection ? Observable.zip([short, long]) { $0[0] + $0[1] } : Observable.zip(short, long) { $0 + $1 }
        }
        #expect(observer.events == [.next(206, 3), .error(220, Oops())])
        #expect(long.subscriptions == [Subscription(200, 220)])
    }

    @Test("every number of sources ends with its last source", arguments: 2...8)
    func lastEnds(count: Int) {
        let longest = hot([.next(210, 1), .next(300, 1), .next(310, 1), .completed(400)])
        let others = (1..<count).map { hot([.next(205, 1), .completed(220 + $0)]).asObservable() }
        let s = others + [longest.asObservable()]
        let observer = scheduler.start { () -> Observable<Int> in
            switch count {
            case 2: .zip(s[0], s[1]) { $0 + $1 }
            case 3: .zip(s[0], s[1], s[2]) { $0 + $1 + $2 }
            case 4: .zip(s[0], s[1], s[2], s[3]) { a, b, c, d in [a, b, c, d].count }
            case 5: .zip(s[0], s[1], s[2], s[3], s[4]) { a, b, c, d, e in [a, b, c, d, e].count }
            case 6: .zip(s[0], s[1], s[2], s[3], s[4], s[5]) { a, b, c, d, e, f in [a, b, c, d, e, f].count }
            case 7:
                .zip(s[0], s[1], s[2], s[3], s[4], s[5], s[6]) { a, b, c, d, e, f, g in [a, b, c, d, e, f, g].count }
            default: Observable.zip(s[0], s[1], s[2], s[3], s[4], s[5], s[6], s[7]).map { _ in 8 }
            }
        }
        #expect(observer.events == [.next(210, count), .completed(400)])
        #expect(longest.subscriptions == [Subscription(200, 400)])
    }

    @Test("infallibles and maybes end with their last source, too")
    func traits() {
        let infallible = scheduler.start {
            Infallible.zip(
                self.hot([.next(205, 1), .completed(210)]).asInfallible(onErrorJustReturn: 0),
                self.hot([.next(206, 2), .next(215, 3), .completed(220)]).asInfallible(onErrorJustReturn: 0)
            ) { $0 + $1 }
        }
        #expect(infallible.events == [.next(206, 3), .completed(220)])
        let other = TestScheduler(initialClock: 0)
        let maybe = other.start {
            Maybe.zip(
                other.createColdObservable([.completed(10)] as [Recorded<Event<Int>>]).asMaybe(),
                other.createColdObservable([.next(20, 1), .completed(30)]).asMaybe()
            ) { $0 + $1 }
        }
        #expect(maybe.events == [.completed(230)])
    }

    @Test("elements do not wait once a completed source has none left")
    func dropsWhatCannotPair() {
        let left = PublishSubject<Held>(), right = PublishSubject<Held>()
        let subscription = Observable.zip(left, right) { _, _ in 1 }.subscribe()
        weak var early: Held?, late: Held?
        do {
            let first = Held(), second = Held()
            (early, late) = (first, second)
            right.onNext(first)
            left.onNext(Held())
            left.onCompleted()
            right.onNext(second)
        }
        #expect(early == nil)
        #expect(late == nil)
        #expect(right.hasObservers)
        subscription.dispose()
    }

    @Test("the completion of one source alone ends nothing")
    func oneCompleted() {
        let never = hot([])
        let empty = hot([.completed(210)])
        let observer = scheduler.start { Observable.zip(never, empty) { $0 + $1 } }
        #expect(observer.events == [])
        #expect(never.subscriptions == [Subscription(200, 1000)])
        #expect(empty.subscriptions == [Subscription(200, 210)])
    }

    @Test("what waits is used after its source has completed")
    func waitingAfterCompletion() {
        let left = hot([.next(210, 1), .next(220, 2), .completed(230)])
        let right = hot([.next(240, 10), .next(250, 20), .next(260, 30), .completed(270)])
        let observer = scheduler.start { Observable.zip(left, right) { $0 + $1 } }
        #expect(observer.events == [.next(240, 11), .next(250, 22), .completed(270)])
        #expect(right.subscriptions == [Subscription(200, 270)])
    }

    @Test("two of three completed sources do not end it")
    func threeSources() {
        let first = hot([.next(210, 1), .completed(220)])
        let second = hot([.next(210, 2), .next(220, 2), .completed(230)])
        let third = hot([.next(210, 4), .next(220, 4), .next(230, 4), .completed(240)])
        let observer = scheduler.start { Observable.zip(first, second, third) { $0 + $1 + $2 } }
        #expect(observer.events == [.next(210, 7), .completed(240)])
        #expect(third.subscriptions == [Subscription(200, 240)])
    }

    @Test("an error of any source ends it and disposes the others")
    func failing() {
        let left = hot([.next(210, 1), .error(230, Oops())])
        let right = hot([.next(220, 10), .next(240, 20)])
        let observer = scheduler.start { Observable.zip(left, right) { $0 + $1 } }
        #expect(observer.events == [.next(220, 11), .error(230, Oops())])
        #expect(left.subscriptions == [Subscription(200, 230)])
        #expect(right.subscriptions == [Subscription(200, 230)])
    }

    @Test("what the selector throws is the error")
    func selectorThrows() {
        let left = hot([.next(210, 1)]), right = hot([.next(220, 10)])
        let observer = scheduler.start { Observable<Int>.zip(left, right) { _, _ in throw Oops() } }
        #expect(observer.events == [.error(220, Oops())])
        #expect(left.subscriptions == [Subscription(200, 220)])
        #expect(right.subscriptions == [Subscription(200, 220)])
    }

    @Test("collections zip as sources one by one do", arguments: [1, 2, 5])
    func collection(count: Int) {
        let sources = (0..<count).map { _ in hot([.next(210, 1), .next(230, 2), .completed(250)]) }
        let observer = scheduler.start { Observable.zip(sources) { $0.reduce(0, +) } }
        #expect(observer.events == [.next(210, count), .next(230, 2 * count), .completed(250)])
        #expect(sources.allSatisfy { $0.subscriptions == [Subscription(200, 250)] })
    }

    @Test("a collection of no sources completes at once")
    func noSources() {
        #expect(marbles(of: Observable<Int>.zip([Observable<Int>]()) { _ in 1 }) == "|")
        #expect(marbles(of: Observable<Int>.zip([Observable<Int>]())) == "|")
    }

    @Test("a collection ends with its last source")
    func collectionEnds() {
        let sources = [hot([.completed(210)]), hot([.next(220, 1), .next(230, 2), .completed(240)])]
        let observer = scheduler.start { Observable.zip(sources) }
        #expect(observer.events == [.completed(240)])
    }

    @Test("tuples of two and of eight sources")
    func tuples() {
        let a = Observable.of(1, 2), b = Observable.of("a", "b")
        #expect(marbles(of: Observable.zip(a, b).map { "\($0)\($1)" }) == "1a 2b |")
        let eight = Observable.zip(a, b, a, b, a, b, a, b)
        #expect(marbles(of: eight.map { "\($0)\($1)\($2)\($3)\($4)\($5)\($6)\($7)" }) == "1a1a1a1a 2b2b2b2b |")
    }

    @Test("an element sent from within a pair's delivery makes the next pair")
    func reentrant() {
        let left = PublishSubject<Int>(), right = PublishSubject<Int>()
        let recorder = Recorder<Int>()
        let subscription = Observable.zip(left, right) { $0 * 10 + $1 }
            .do(onNext: { if $0 < 30 { left.onNext($0 / 10 + 1) } }).subscribe(recorder)
        for element in 1...3 { right.onNext(element) }
        left.onNext(1)
        #expect(recorder.text == "11 22 33")
        subscription.dispose()
    }

    @Test("three threads: pairs are of one rank each, in order, and the end is one")
    func concurrently() async {
        let subjects = (0..<3).map { _ in PublishSubject<Int>() }
        let found = Locked<[[Int]]>([]), ends = Locked(0)
        _ = Observable.zip(subjects).subscribe(
            onNext: { triple in found.withLock { $0.append(triple) } }, onCompleted: { ends.withLock { $0 += 1 } })
        await withTaskGroup(of: Void.self) { group in
            for subject in subjects {
                group.addTask {
                    for element in 1...3_000 { subject.onNext(element) }
                    subject.onCompleted()
                }
            }
        }
        #expect(found.withLock { $0 } == (1...3_000).map { [$0, $0, $0] })
        #expect(ends.withLock { $0 } == 1)
    }

    @Test("an error on one thread stops elements of another")
    func failingConcurrently() async {
        for _ in 0..<100 {
            let left = PublishSubject<Int>(), right = PublishSubject<Int>()
            let grammar = Grammar<Int>()
            _ = Observable.zip(left, right) { $0 + $1 }.subscribe(grammar)
            await withTaskGroup(of: Void.self) { group in
                group.addTask { for element in 0..<100 { left.onNext(element) } }
                group.addTask {
                    for element in 0..<50 { right.onNext(element) }
                    right.onError(Oops())
                }
            }
            #expect(grammar.verdict == "ended well formed")
            #expect(!left.hasObservers && !right.hasObservers)
        }
    }
}
