import Dispatch
import Rx
import Testing
import TestSupport

@Suite("Subjects", .leakFree)
struct SubjectTests {
    @Test("a PublishSubject hands on what comes after subscribing, and its end to late subscribers")
    func publish() {
        let subject = PublishSubject<Int>()
        let early = Recorder<Int>(), late = Recorder<Int>(), tooLate = Recorder<Int>()
        _ = subject.subscribe(early)
        subject.onNext(1)
        _ = subject.subscribe(late)
        subject.onNext(2)
        #expect(subject.hasObservers)
        subject.onError(Oops())
        subject.onNext(3)
        _ = subject.subscribe(tooLate)
        #expect(early.text == "1 2 x")
        #expect(late.text == "2 x")
        #expect(tooLate.text == "x")
        #expect(!subject.hasObservers)
    }

    @Test("a BehaviorSubject gives its current value first, and only its end when it has ended")
    func behavior() throws {
        let subject = BehaviorSubject(value: 0)
        let first = Recorder<Int>(), second = Recorder<Int>(), third = Recorder<Int>()
        _ = subject.subscribe(first)
        subject.onNext(1)
        _ = subject.subscribe(second)
        #expect(try subject.value() == 1)
        subject.onCompleted()
        _ = subject.subscribe(third)
        #expect(first.text == "0 1 |")
        #expect(second.text == "1 |")
        #expect(third.text == "|")
        #expect(try subject.value() == 1)
    }

    @Test("the value of a failed or disposed BehaviorSubject throws")
    func behaviorThrows() {
        let failed = BehaviorSubject(value: 0)
        failed.onError(Oops())
        #expect(throws: Oops.self) { try failed.value() }
        let disposed = BehaviorSubject(value: 0)
        let recorder = Recorder<Int>()
        _ = disposed.subscribe(recorder)
        disposed.dispose()
        disposed.onNext(1)
        #expect(disposed.isDisposed)
        #expect(throws: RxError.self) { try disposed.value() }
        #expect(recorder.text == "0")
        #expect(marbles(of: disposed) == "x")
    }

    @Test(
        "a ReplaySubject replays its latest elements, then its end", arguments: [(0, ""), (2, "3 4 "), (9, "1 2 3 4 ")])
    func replay(size: Int, expected: String) {
        let subject = ReplaySubject<Int>.create(bufferSize: size)
        for element in 1...4 { subject.onNext(element) }
        #expect(marbles(of: subject) + " " == (expected.isEmpty ? " " : expected))
        subject.onCompleted()
        subject.onNext(5)
        #expect(marbles(of: subject) == expected + "|")
    }

    @Test("an unbounded ReplaySubject replays everything, also after an error")
    func replayUnbounded() {
        let subject = ReplaySubject<Int>.createUnbounded()
        for element in 1...3 { subject.onNext(element) }
        subject.onError(Oops())
        #expect(marbles(of: subject) == "1 2 3 x")
    }

    @Test("an AsyncSubject gives its last element when it completes")
    func async() {
        let subject = AsyncSubject<Int>()
        let early = Recorder<Int>()
        _ = subject.subscribe(early)
        subject.onNext(1)
        subject.onNext(2)
        #expect(early.text == "")
        subject.onCompleted()
        #expect(early.text == "2 |")
        #expect(marbles(of: subject) == "2 |")
    }

    @Test("an AsyncSubject gives nothing but an error, or nothing but the end")
    func asyncWithoutElement() {
        let failed = AsyncSubject<Int>()
        failed.onNext(1)
        failed.onError(Oops())
        #expect(marbles(of: failed) == "x")
        let empty = AsyncSubject<Int>()
        empty.onCompleted()
        #expect(marbles(of: empty) == "|")
    }

    @Test("a subscriber to a disposed subject gets an error that names it, and nothing kept")
    func disposedSubjects() {
        let publish = PublishSubject<Int>(), behavior = BehaviorSubject(value: 0)
        let replay = ReplaySubject<Int>.create(bufferSize: 2)
        func events(of subject: some SubjectType<Int> & ObserverType<Int> & Cancelable) -> [String] {
            subject.onNext(1)
            subject.dispose()
            let log = Locked<[String]>([])
            _ = subject.subscribe { event in log.withLock { $0.append("\(event)") } }
            return log.withLock { $0 }
        }
        #expect(events(of: publish) == ["error(\(RxError.disposed(object: publish)))"])
        #expect(events(of: behavior) == ["error(\(RxError.disposed(object: behavior)))"])
        #expect(events(of: replay) == ["error(\(RxError.disposed(object: replay)))"])
    }

    @Test("events sent from within a delivery come after it, for every subscriber")
    func reentrant() {
        let subject = PublishSubject<Int>()
        let first = Recorder<Int>(), second = Recorder<Int>()
        let sender = subject.subscribe(onNext: { if $0 < 3 { subject.onNext($0 + 1) } })
        _ = subject.subscribe(first)
        _ = subject.subscribe(second)
        subject.onNext(1)
        #expect(first.text == "1 2 3")
        #expect(second.text == "1 2 3")
        // It holds the subject, which holds it.
        sender.dispose()
    }

    @Test("who subscribes from within a delivery misses nothing and gets nothing twice")
    func subscribeWithin() {
        let subject = BehaviorSubject(value: 0)
        let inner = Recorder<Int>()
        let sender = subject.subscribe(onNext: { element in
            guard element == 1 else { return }
            subject.onNext(2)
            _ = subject.subscribe(inner)
            subject.onNext(3)
        })
        subject.onNext(1)
        #expect(inner.text == "2 3")
        sender.dispose()
    }

    @Test("who sends from within its own replay gets that after the replay")
    func sendWithinReplay() {
        let subject = ReplaySubject<Int>.createUnbounded()
        subject.onNext(1)
        subject.onNext(2)
        let recorder = Recorder<Int>()
        let sender = subject.do(onNext: { if $0 == 1 { subject.onNext(3) } }).subscribe(recorder)
        #expect(recorder.text == "1 2 3")
        sender.dispose()
    }

    @Test("concurrent senders are delivered one at a time, all of them, in one order for all")
    func concurrent() async {
        let subject = PublishSubject<Int>()
        let orders = (0..<3).map { _ in Locked<[Int]>([]) }
        let inside = Locked(0)
        let overlaps = Locked(0)
        for order in orders {
            _ = subject.subscribe(onNext: { element in
                if inside.withLock({
                    $0 += 1; return $0
                }) > 1 {
                    overlaps.withLock { $0 += 1 }
                }
                order.withLock { $0.append(element) }
                inside.withLock { $0 -= 1 }
            })
        }
        let perThread = 2_000
        await withTaskGroup(of: Void.self) { group in
            for thread in 0..<2 {
                group.addTask {
                    for element in 0..<perThread { subject.onNext(thread * perThread + element) }
                }
            }
        }
        let first = orders[0].withLock { $0 }
        #expect(first.sorted() == Array(0..<2 * perThread))
        for thread in 0..<2 {
            let own = first.filter { $0 / perThread == thread }
            #expect(own == own.sorted())
        }
        for order in orders { #expect(order.withLock { $0 } == first) }
        #expect(overlaps.withLock { $0 } == 0)
    }

    @Test("subscribing while others send leaves no gap and no duplicate after the replayed value")
    func concurrentJoin() async {
        let subject = BehaviorSubject(value: 0)
        let count = 5_000
        let joined = Locked<[Locked<[Int]>]>([])
        await withTaskGroup(of: Void.self) { group in
            group.addTask { for element in 1...count { subject.onNext(element) } }
            group.addTask {
                for _ in 0..<200 {
                    let seen = Locked<[Int]>([])
                    _ = subject.subscribe(onNext: { element in seen.withLock { $0.append(element) } })
                    joined.withLock { $0.append(seen) }
                }
            }
        }
        for seen in joined.withLock({ $0 }) {
            let elements = seen.withLock { $0 }
            #expect(elements == Array((elements.first ?? -1)...count))
        }
    }

    @Test("members that leave in any order are forgotten, the others go on")
    func leaving() {
        let subject = PublishSubject<Int>()
        let recorders = (0..<50).map { _ in Recorder<Int>() }
        let subscriptions = recorders.map { subject.subscribe($0) }
        for index in 0..<50 where index % 3 != 0 { subscriptions[index].dispose() }
        subject.onNext(1)
        for (index, recorder) in recorders.enumerated() { #expect(recorder.text == (index % 3 == 0 ? "1" : "")) }
        for subscription in subscriptions { subscription.dispose() }
        #expect(!subject.hasObservers)
    }
}
