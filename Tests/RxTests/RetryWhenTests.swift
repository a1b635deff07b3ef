import Rx
import RxTest
import Testing
import TestSupport

@Suite("retry(when:)", .leakFree)
struct RetryWhenTests {
    private let scheduler = TestScheduler(initialClock: 0)

    private func failingSource() -> TestableObservable<Int> {
        scheduler.createColdObservable([.next(10, 1), .error(20, Oops())])
    }

    @Test("each trigger begins an attempt at its time; the failed one was disposed at its error")
    func triggers() {
        let source = failingSource()
        let triggers = scheduler.createHotObservable([.next(250, 0), .next(300, 0), .next(400, 0)])
        let observer = scheduler.start(disposed: 405) {
            source.retry(when: { (errors: Observable<any Error>) in
                errors.flatMapLatest { _ in triggers.take(1) }
            })
        }
        #expect(observer.events == [.next(210, 1), .next(260, 1), .next(310, 1)])
        #expect(
            source.subscriptions == [
                Subscription(200, 220), Subscription(250, 270), Subscription(300, 320), Subscription(400, 405),
            ])
    }

    @Test("the handler is called once, and what it makes is subscribed once, before the source")
    func once() {
        let calls = Locked(0)
        let notes = Notes()
        let source = failingSource()
        let observer = scheduler.start(disposed: 300) {
            source.noting("source", in: notes).retry(when: { (errors: Observable<any Error>) in
                calls.withLock { $0 += 1 }
                return errors.take(2).concat(.never()).noting("triggers", in: notes)
            })
        }
        #expect(observer.events == [.next(210, 1), .next(230, 1), .next(250, 1)])
        #expect(calls.withLock { $0 } == 1)
        #expect(
            notes.all == [
                "triggers subscribed", "source subscribed", "source disposed", "source subscribed", "source disposed",
                "source subscribed", "source disposed", "triggers disposed",
            ])
    }

    @Test("an error or a completion of the triggers while one is waited for ends it so")
    func triggersEnd() {
        struct Enough: Error {}
        let source = failingSource()
        let completed = scheduler.start {
            source.retry(when: { (errors: Observable<any Error>) in errors.take(1) })
        }
        // take(1) completes in the delivery of its element, which has begun the second attempt by then.
        #expect(completed.events == [.next(210, 1), .next(230, 1), .completed(240)])

        let other = TestScheduler(initialClock: 0)
        let cold = other.createColdObservable([.next(10, 1), .error(20, Oops())])
        let failed = other.start {
            cold.retry(when: { (errors: Observable<any Error>) in
                errors.enumerated().flatMap { index, _ -> Observable<Int> in
                    index == 0 ? .just(0) : .error(Enough())
                }
            })
        }
        #expect(failed.events == [.next(210, 1), .next(230, 1), .error(240, Enough())])
        #expect(cold.subscriptions == [Subscription(200, 220), Subscription(220, 240)])
    }

    @Test("triggers that end while an attempt is under way let it go on, and end it when it fails")
    func triggersEndEarly() {
        let source = failingSource()
        let observer = scheduler.start {
            source.retry(when: { (_: Observable<any Error>) in Observable<Int>.empty() })
        }
        #expect(observer.events == [.next(210, 1), .completed(220)])
        #expect(source.subscriptions == [Subscription(200, 220)])
        let fine = Observable.of(1, 2).retry(when: { (_: Observable<any Error>) in Observable<Int>.error(Oops()) })
        #expect(marbles(of: fine) == "1 2 |")
    }

    @Test("triggers that come while an attempt is under way are ignored")
    func early() {
        let source = failingSource()
        let triggers = scheduler.createHotObservable([.next(205, 0), .next(210, 0), .next(230, 0), .next(240, 0)])
        let observer = scheduler.start(disposed: 252) {
            source.retry(when: { (_: Observable<any Error>) in triggers })
        }
        #expect(observer.events == [.next(210, 1), .next(240, 1)])
        #expect(source.subscriptions == [Subscription(200, 220), Subscription(230, 250)])
        #expect(triggers.subscriptions == [Subscription(200, 252)])
    }

    @Test("an error of another type than asked for is handed on; one of that type is retried")
    func typed() {
        struct Known: Error {}
        let attempts = Locked(0)
        let source = Observable<Int>.deferred {
            let attempt = attempts.withLock {
                $0 += 1
                return $0
            }
            return attempt < 3 ? .error(Known()) : .error(Oops())
        }
        let recorder = Recorder<Int>()
        _ = source.retry(when: { (errors: Observable<Known>) in errors }).subscribe(recorder)
        #expect(recorder.text == "x")
        #expect(attempts.withLock { $0 } == 3)
    }

    @Test("completion of the source ends it and disposes the triggers")
    func completion() {
        let source = scheduler.createColdObservable([.next(10, 1), .completed(20)])
        let triggers = scheduler.createHotObservable([.next(900, 0)])
        let observer = scheduler.start { source.retry(when: { (_: Observable<any Error>) in triggers }) }
        #expect(observer.events == [.next(210, 1), .completed(220)])
        #expect(triggers.subscriptions == [Subscription(200, 220)])
    }

    @Test("disposed while it waits, it begins no attempt")
    func disposedWaiting() {
        let source = failingSource()
        let triggers = scheduler.createHotObservable([.next(300, 0)])
        let observer = scheduler.start(disposed: 250) {
            source.retry(when: { (_: Observable<any Error>) in triggers })
        }
        #expect(observer.events == [.next(210, 1)])
        #expect(source.subscriptions == [Subscription(200, 220)])
        #expect(triggers.subscriptions == [Subscription(200, 250)])
    }

    @Test("errors and triggers on two threads: one attempt at a time, and a good end")
    func concurrently() async {
        let errors = PublishSubject<Int>(), triggers = PublishSubject<Int>()
        let running = Locked(0), most = Locked(0)
        let attempt = Observable<Int>.create { observer in
            let now = running.withLock {
                $0 += 1
                return $0
            }
            most.withLock { $0 = max($0, now) }
            let subscription = errors.subscribe(
                onNext: { $0 < 0 ? observer.onError(Oops()) : observer.onNext($0) }, onCompleted: observer.onCompleted)
            return Disposables.create {
                subscription.dispose()
                running.withLock { $0 -= 1 }
            }
        }
        let grammar = Grammar<Int>()
        _ = attempt.retry(when: { (_: Observable<any Error>) in triggers }).subscribe(grammar)
        let isOver = Locked(false)
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                for element in 0..<3_000 { errors.onNext(element % 3 == 2 ? -1 : element) }
                while grammar.verdict == "open" { errors.onCompleted() }
                isOver.withLock { $0 = true }
            }
            group.addTask {
                while !isOver.withLock({ $0 }) {
                    triggers.onNext(0)
                    await Task.yield()
                }
            }
        }
        #expect(grammar.verdict == "ended well formed")
        #expect(most.withLock { $0 } == 1)
        #expect(running.withLock { $0 } == 0)
        #expect(!triggers.hasObservers)
    }
}
