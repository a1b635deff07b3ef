import Rx
import RxTest
import Testing
import TestSupport

@Suite("concat, concatMap and startWith", .leakFree)
struct ConcatTests {
    private let scheduler = TestScheduler(initialClock: 0)

    @Test("the next is subscribed at the time the one before completes, after that was disposed")
    func times() {
        let first = scheduler.createHotObservable([.next(210, 1), .completed(220)])
        let second = scheduler.createHotObservable([.next(215, 9), .next(230, 2), .completed(240)])
        let third = scheduler.createColdObservable([.next(10, 3), .completed(20)])
        let notes = Notes()
        let observer = scheduler.start {
            Observable.concat(
                first.noting("first", in: notes), second.noting("second", in: notes), third.noting("third", in: notes))
        }
        #expect(observer.events == [.next(210, 1), .next(230, 2), .next(250, 3), .completed(260)])
        #expect(first.subscriptions == [Subscription(200, 220)])
        #expect(second.subscriptions == [Subscription(220, 240)])
        #expect(third.subscriptions == [Subscription(240, 260)])
        #expect(
            notes.all == [
                "first subscribed", "first disposed", "second subscribed", "second disposed", "third subscribed",
                "third disposed",
            ])
    }

    @Test("an error ends it; what follows is never subscribed")
    func failing() {
        let first = scheduler.createHotObservable([.next(210, 1), .error(220, Oops())])
        let second = scheduler.createHotObservable([.next(230, 2)])
        let observer = scheduler.start { first.concat(second) }
        #expect(observer.events == [.next(210, 1), .error(220, Oops())])
        #expect(first.subscriptions == [Subscription(200, 220)])
        #expect(second.subscriptions == [])
    }

    @Test("disposed in the middle, only the current one is")
    func disposing() {
        let first = scheduler.createHotObservable([.completed(220, Int.self)])
        let second = scheduler.createHotObservable([.next(230, 2), .next(300, 3)])
        let third = scheduler.createHotObservable([.next(500, 2)])
        let observer = scheduler.start(disposed: 250) { Observable.concat([first, second, third]) }
        #expect(observer.events == [.next(230, 2)])
        #expect(second.subscriptions == [Subscription(220, 250)])
        #expect(third.subscriptions == [])
    }

    @Test("a sequence is asked for the next source when that is due")
    func lazily() {
        let asked = Locked(0)
        struct Sources: Sequence, IteratorProtocol, Sendable {
            let asked: Locked<Int>
            func next() -> Observable<Int>? {
                .just(
                    asked.withLock {
                        $0 += 1
                        return $0
                    })
            }
        }
        #expect(marbles(of: Observable.concat(Sources(asked: asked)).take(3)) == "1 2 3 |")
        #expect(asked.withLock { $0 } == 3)
        #expect(marbles(of: Observable.concat([Observable<Int>]())) == "|")
    }

    @Test("a sequence defined by itself needs no deeper stack, nor more memory")
    func recursive() {
        let found = Locked(0)
        _ = Counting(from: 0).observable.take(manySteps)
            .subscribe(onNext: { element in found.withLock { $0 = element } })
        #expect(found.withLock { $0 } == manySteps - 1)
        // As many as one iterator a level, had the last of a collection been kept.
        #expect(maxTailRecursiveSinkStackSize < 1_000)
    }

    @Test("sources of several elements take turns with those of others")
    func turns() {
        let pairs = Observable.combineLatest(
            Observable.of(1).concat(.of(2, 3)), Observable.of("a", "b")
        ) { "\($0)\($1)" }
        #expect(marbles(of: pairs).hasPrefix("1a "))
        #expect(marbles(of: pairs).hasSuffix("3b |"))
    }

    @Test("concat of a sequence of sequences subscribes one at a time, in virtual time")
    func concatOuter() {
        let first = scheduler.createColdObservable([.next(50, 1), .completed(100)])
        let second = scheduler.createColdObservable([.next(10, 2), .completed(20)])
        let outer = scheduler.createHotObservable([
            .next(210, first.asObservable()), .next(220, second.asObservable()), .completed(230),
        ])
        let observer = scheduler.start { outer.concat() }
        #expect(observer.events == [.next(260, 1), .next(320, 2), .completed(330)])
        #expect(outer.subscriptions == [Subscription(200, 230)])
        #expect(first.subscriptions == [Subscription(210, 310)])
        #expect(second.subscriptions == [Subscription(310, 330)])
    }

    @Test("concatMap calls its selector when an element comes, and its error ends at once")
    func concatMapCalls() {
        let inner = scheduler.createColdObservable([.next(50, 1), .completed(100)])
        let outer = scheduler.createHotObservable([.next(210, 1), .next(220, 2), .next(230, 3)])
        let calls = Locked<[Int]>([])
        let observer = scheduler.start {
            outer.concatMap { element -> Observable<Int> in
                calls.withLock { $0.append(scheduler.clock) }
                if element == 3 { throw Oops() }
                return inner.asObservable()
            }
        }
        #expect(calls.withLock { $0 } == [210, 220, 230])
        #expect(observer.events == [.error(230, Oops())])
        #expect(inner.subscriptions == [Subscription(210, 230)])
        #expect(outer.subscriptions == [Subscription(200, 230)])
    }

    @Test("startWith sends before the source is subscribed")
    func startWith() {
        let source = scheduler.createHotObservable([.next(150, 1), .next(220, 2), .completed(250)])
        let observer = scheduler.start { source.startWith(7, 8) }
        #expect(observer.events == [.next(200, 7), .next(200, 8), .next(220, 2), .completed(250)])
        #expect(source.subscriptions == [Subscription(200, 250)])
        #expect(marbles(of: Observable<Int>.error(Oops()).startWith(1)) == "1 x")
    }

    @Test("threads that end sources one after the other lose nothing")
    func concurrently() async {
        let subjects = (0..<20).map { _ in ReplaySubject<Int>.createUnbounded() }
        let grammar = Grammar<Int>()
        _ = Observable.concat(subjects.map { $0.asObservable() }).subscribe(grammar)
        await withTaskGroup(of: Void.self) { group in
            for subject in subjects {
                group.addTask {
                    for element in 0..<50 { subject.onNext(element) }
                    subject.onCompleted()
                }
            }
        }
        #expect(grammar.verdict == "ended well formed")
        #expect(grammar.elements == 20 * 50)
    }
}

/// A number, then the same from the next number on; each made when it is asked for.
private struct Counting: RandomAccessCollection, Sendable {
    let first: Int
    let startIndex = 0
    let endIndex = 2

    init(from first: Int) {
        self.first = first
    }

    var observable: Observable<Int> { Observable.concat(self) }

    subscript(position: Int) -> Observable<Int> {
        position == 0 ? .just(first) : Counting(from: first + 1).observable
    }
}
