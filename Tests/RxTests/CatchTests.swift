import Rx
import RxTest
import Testing
import TestSupport

@Suite("catch, retry and using", .leakFree)
struct CatchTests {
    private let scheduler = TestScheduler(initialClock: 0)

    @Test("catch subscribes what its handler makes at the time of the error")
    func catching() {
        let source = scheduler.createHotObservable([.next(210, 1), .error(230, Oops())])
        let other = scheduler.createColdObservable([.next(10, 2), .completed(20)])
        let observer = scheduler.start { source.catch { _ in other.asObservable() } }
        #expect(observer.events == [.next(210, 1), .next(240, 2), .completed(250)])
        #expect(source.subscriptions == [Subscription(200, 230)])
        #expect(other.subscriptions == [Subscription(230, 250)])
    }

    @Test("catch is given the error; what it throws, and an error of what it makes, are handed on")
    func catchFailing() {
        struct Second: Error {}
        let source = scheduler.createHotObservable([.error(230, Oops(), Int.self)])
        let thrown = scheduler.start {
            source.catch { error in
                #expect(error is Oops)
                throw Second()
            }
        }
        #expect(thrown.events == [.error(230, Second())])
        #expect(source.subscriptions == [Subscription(200, 230)])
        #expect(marbles(of: Observable<Int>.error(Oops()).catch { .error($0) }) == "x")
        #expect(marbles(of: Observable.of(1, 2).catch { _ in .just(3) }) == "1 2 |")
    }

    @Test("the sequence that takes over is subscribed first, then the failed one is disposed")
    func catchOrder() {
        let notes = Notes()
        let subject = PublishSubject<Int>()
        let subscription = subject.asObservable().noting("source", in: notes)
            .catch { _ in Observable<Int>.never().noting("other", in: notes) }.subscribe()
        subject.onError(Oops())
        subscription.dispose()
        #expect(notes.all == ["source subscribed", "other subscribed", "source disposed", "other disposed"])
    }

    @Test("catchAndReturn ends with its element at the time of the error")
    func catchAndReturn() {
        let source = scheduler.createHotObservable([.next(210, 1), .error(230, Oops())])
        let observer = scheduler.start { source.catchAndReturn(9) }
        #expect(observer.events == [.next(210, 1), .next(230, 9), .completed(230)])
    }

    @Test("catch(sequence:) goes to the next source at the time of an error; the last error is handed on")
    func catchSequence() {
        struct Last: Error {}
        let first = scheduler.createHotObservable([.next(210, 1), .error(220, Oops())])
        let second = scheduler.createHotObservable([.next(215, 9), .next(230, 2), .error(240, Last())])
        let failed = scheduler.start { Observable.catch(sequence: [first, second]) }
        #expect(failed.events == [.next(210, 1), .next(230, 2), .error(240, Last())])
        #expect(first.subscriptions == [Subscription(200, 220)])
        #expect(second.subscriptions == [Subscription(220, 240)])
        #expect(marbles(of: Observable.catch(sequence: [.error(Oops()), .just(1), Observable.just(2)])) == "1 |")
        #expect(marbles(of: Observable<Int>.catch(sequence: [])) == "|")
    }

    @Test("catch(sequence:) asks an endless sequence for no more than it needs")
    func catchEndless() {
        struct Endless: Sequence, IteratorProtocol, Sendable {
            let asked: Locked<Int>
            func next() -> Observable<Int>? {
                let number = asked.withLock {
                    $0 += 1
                    return $0
                }
                return number == manySteps ? .just(number) : .error(Oops())
            }
        }
        let asked = Locked(0)
        #expect(marbles(of: Observable.catch(sequence: Endless(asked: asked))) == "\(manySteps) |")
        #expect(asked.withLock { $0 } == manySteps)
    }

    @Test("retry() subscribes again at the time of the error, after the failed attempt was disposed")
    func retry() {
        let source = scheduler.createColdObservable([.next(50, 1), .error(100, Oops())])
        let notes = Notes()
        let observer = scheduler.start(disposed: 420) { source.noting("source", in: notes).retry() }
        #expect(observer.events == [.next(250, 1), .next(350, 1)])
        #expect(source.subscriptions == [Subscription(200, 300), Subscription(300, 400), Subscription(400, 420)])
        #expect(
            notes.all == [
                "source subscribed", "source disposed", "source subscribed", "source disposed", "source subscribed",
                "source disposed",
            ])
    }

    @Test("retry(_:) counts attempts")
    func retryCount() {
        let source = scheduler.createColdObservable([.next(5, 1), .error(10, Oops())])
        let observer = scheduler.start { source.retry(3) }
        #expect(observer.events == [.next(205, 1), .next(215, 1), .next(225, 1), .error(230, Oops())])
        #expect(source.subscriptions == [Subscription(200, 210), Subscription(210, 220), Subscription(220, 230)])
        #expect(marbles(of: Observable<Int>.error(Oops()).retry(0)) == "|")
        #expect(marbles(of: Observable<Int>.error(Oops()).startWith(1).retry(1)) == "1 x")
        #expect(marbles(of: Observable<Int>.error(Oops()).startWith(1).retry(2).retry(2)) == "1 1 1 1 x")
        #expect(marbles(of: Observable.just(1).retry(9)) == "1 |")
    }

    @Test("using makes a resource for each subscription and disposes it after the source")
    func using() {
        let source = scheduler.createColdObservable([.next(10, 1), .completed(20)])
        let notes = Notes()
        let observer = scheduler.start {
            Observable<Int>.using(
                { Resource(notes) }, observableFactory: { _ in source.noting("source", in: notes) }
            ).do(onCompleted: { notes("completed") })
        }
        #expect(observer.events == [.next(210, 1), .completed(220)])
        #expect(notes.all == ["made", "source subscribed", "completed", "source disposed", "resource disposed"])
    }

    @Test("using disposes its resource once: at an error, at disposal, when the factory fails")
    func usingEnds() {
        let notes = Notes()
        #expect(
            marbles(of: Observable<Int>.using({ Resource(notes) }, observableFactory: { _ in .error(Oops()) })) == "x")
        #expect(
            marbles(of: Observable<Int>.using({ Resource(notes) }, observableFactory: { _ in throw Oops() })) == "x")
        let subscription = Observable<Int>.using({ Resource(notes) }, observableFactory: { _ in .never() }).subscribe()
        subscription.dispose()
        subscription.dispose()
        #expect(notes.all == Array(repeating: ["made", "resource disposed"], count: 3).flatMap { $0 })
        let failing: @Sendable () throws -> Resource = { throw Oops() }
        #expect(marbles(of: Observable<Int>.using(failing, observableFactory: { _ in .never() })) == "x")
    }

    private final class Resource: Disposable {
        let notes: Notes

        init(_ notes: Notes) {
            self.notes = notes
            notes("made")
        }

        func dispose() { notes("resource disposed") }
    }
}
