import Rx
import RxTest
import Testing
import TestSupport

@Suite("combineLatest and withLatestFrom", .leakFree)
struct CombineLatestTests {
    private let scheduler = TestScheduler(initialClock: 0)

    private func hot(_ events: [Recorded<Event<Int>>]) -> TestableObservable<Int> {
        scheduler.createHotObservable([.next(150, 1)] + events)
    }

    @Test("each element is combined with the latest of the other")
    func latest() {
        let left = hot([.next(210, 1), .next(230, 2), .completed(240)])
        let right = hot([.next(220, 10), .next(250, 20), .completed(260)])
        let observer = scheduler.start { Observable.combineLatest(left, right) { $0 + $1 } }
        #expect(observer.events == [.next(220, 11), .next(230, 12), .next(250, 22), .completed(260)])
        #expect(left.subscriptions == [Subscription(200, 240)])
        #expect(right.subscriptions == [Subscription(200, 260)])
    }

    @Test("an empty source alone ends nothing; an element that can make no pair does")
    func empty() {
        let never = hot([]), empty = hot([.completed(210)])
        let open = scheduler.start { Observable.combineLatest(never, empty) { $0 + $1 } }
        #expect(open.events == [])
        #expect(never.subscriptions == [Subscription(200, 1000)])
        #expect(empty.subscriptions == [Subscription(200, 210)])

        let other = TestScheduler(initialClock: 0)
        let ended = other.createHotObservable([.completed(210, Int.self)])
        let late = other.createHotObservable([.next(215, 2), .completed(220)])
        let observer = other.start { Observable.combineLatest(ended, late) { $0 + $1 } }
        #expect(observer.events == [.completed(215)])
        #expect(late.subscriptions == [Subscription(200, 215)])
    }

    @Test("an error of any source ends it and disposes the others; so does what the selector throws")
    func failing() {
        let left = hot([.next(210, 1), .error(230, Oops())])
        let right = hot([.next(220, 10), .next(240, 20)])
        let failed = scheduler.start { Observable.combineLatest(left, right) { $0 + $1 } }
        #expect(failed.events == [.next(220, 11), .error(230, Oops())])
        #expect(right.subscriptions == [Subscription(200, 230)])

        let other = TestScheduler(initialClock: 0)
        let a = other.createHotObservable([.next(210, 1)]), b = other.createHotObservable([.next(220, 1)])
        let thrown = other.start { Observable<Int>.combineLatest(a, b) { _, _ in throw Oops() } }
        #expect(thrown.events == [.error(220, Oops())])
        #expect(a.subscriptions == [Subscription(200, 220)])
    }

    @Test("collections combine as sources one by one do; of none comes the result of none")
    func collection() {
        let sources = [hot([.next(210, 1), .completed(250)]), hot([.next(220, 2), .next(230, 3), .completed(240)])]
        let observer = scheduler.start { Observable.combineLatest(sources) }
        #expect(observer.events == [.next(220, [1, 2]), .next(230, [1, 3]), .completed(250)])
        #expect(marbles(of: Observable<Int>.combineLatest([Observable<Int>]()) { $0.count }) == "0 |")
        #expect(marbles(of: Observable<Int>.combineLatest([Observable<Int>]()) { _ in throw Oops() }) == "x")
    }

    @Test("withLatestFrom: the other's end changes nothing, its error ends, and it is subscribed first")
    func withLatestFrom() {
        let source = hot([.next(210, 1), .next(230, 2), .next(250, 3), .completed(260)])
        let other = hot([.next(220, 10), .next(240, 20), .completed(245)])
        let observer = scheduler.start { source.withLatestFrom(other) { $0 + $1 } }
        #expect(observer.events == [.next(230, 12), .next(250, 23), .completed(260)])
        #expect(source.subscriptions == [Subscription(200, 260)])
        #expect(other.subscriptions == [Subscription(200, 245)])

        let notes = Notes()
        Observable<Int>.never().noting("source", in: notes)
            .withLatestFrom(Observable<Int>.never().noting("other", in: notes)).subscribe().dispose()
        #expect(notes.all == ["other subscribed", "source subscribed", "source disposed", "other disposed"])
    }

    @Test("withLatestFrom: errors of the source, the other and the selector end it")
    func withLatestFromFailing() {
        let source = hot([.next(230, 2), .next(250, 3), .error(260, Oops())])
        let other = hot([.next(220, 10), .error(240, Oops())])
        let observer = scheduler.start { source.withLatestFrom(other) }
        #expect(observer.events == [.next(230, 10), .error(240, Oops())])
        #expect(source.subscriptions == [Subscription(200, 240)])

        let thrown = Observable.just(1).withLatestFrom(Observable.just(2)) { _, _ -> Int in throw Oops() }
        #expect(marbles(of: thrown) == "x")
        #expect(marbles(of: Observable<Int>.error(Oops()).withLatestFrom(Observable.just(2))) == "x")
        #expect(marbles(of: Observable<Int>.empty().withLatestFrom(Observable<Int>.never())) == "|")
    }

    @Test("withLatestFrom with a source that is sent to on one thread and another on a second one")
    func withLatestFromConcurrently() async {
        let source = PublishSubject<Int>(), other = PublishSubject<Int>()
        let grammar = Grammar<Int>()
        _ = source.withLatestFrom(other).subscribe(grammar)
        other.onNext(0)
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                for element in 0..<5_000 { source.onNext(element) }
                source.onCompleted()
            }
            group.addTask { for element in 0..<5_000 { other.onNext(element) } }
        }
        #expect(grammar.verdict == "ended well formed")
        #expect(grammar.elements == 5_000)
        #expect(!other.hasObservers)
    }

    @Test("combineLatest of three threads: one at a time, one end")
    func combineLatestConcurrently() async {
        let subjects = (0..<3).map { _ in PublishSubject<Int>() }
        let grammar = Grammar<[Int]>()
        _ = Observable.combineLatest(subjects).subscribe(grammar)
        await withTaskGroup(of: Void.self) { group in
            for subject in subjects {
                group.addTask {
                    for element in 0..<2_000 { subject.onNext(element) }
                    subject.onCompleted()
                }
            }
        }
        #expect(grammar.verdict == "ended well formed")
    }
}
