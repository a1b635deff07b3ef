import Rx
import RxTest
import Testing
import TestSupport

@Suite("do, in the order of its closures", .leakFree)
struct DoTests {
    private let notes = Notes()

    private func noting(_ source: Observable<Int>, _ name: String = "") -> Observable<Int> {
        let notes = notes
        return source.do(
            onNext: { notes("\(name)onNext \($0)") }, afterNext: { notes("\(name)afterNext \($0)") },
            onError: { _ in notes("\(name)onError") }, afterError: { _ in notes("\(name)afterError") },
            onCompleted: { notes("\(name)onCompleted") }, afterCompleted: { notes("\(name)afterCompleted") },
            onSubscribe: { notes("\(name)onSubscribe") }, onSubscribed: { notes("\(name)onSubscribed") },
            onDispose: { notes("\(name)onDispose") })
    }

    private func subscribe(_ source: Observable<Int>) -> any Disposable {
        let notes = notes
        return source.subscribe(
            onNext: { notes("next \($0)") }, onError: { _ in notes("error") }, onCompleted: { notes("completed") },
            onDisposed: { notes("disposed") })
    }

    @Test("a source that completes later")
    func asynchronous() {
        let subject = PublishSubject<Int>()
        _ = subscribe(noting(subject.asObservable().noting("source", in: notes)))
        subject.onNext(1)
        subject.onCompleted()
        #expect(
            notes.all == [
                "onSubscribe", "source subscribed", "onSubscribed", "onNext 1", "next 1", "afterNext 1", "onCompleted",
                "completed", "disposed", "afterCompleted", "source disposed", "onDispose",
            ])
    }

    @Test("a source that completes while it is subscribed: onDispose is last all the same")
    func synchronous() {
        _ = subscribe(noting(Observable.just(1).noting("source", in: notes)))
        #expect(
            notes.all == [
                "onSubscribe", "source subscribed", "onNext 1", "next 1", "afterNext 1", "onCompleted", "completed",
                "disposed", "afterCompleted", "source disposed", "onSubscribed", "onDispose",
            ])
    }

    @Test("a source that fails")
    func failing() {
        let subject = PublishSubject<Int>()
        _ = subscribe(noting(subject))
        subject.onError(Oops())
        #expect(
            notes.all == ["onSubscribe", "onSubscribed", "onError", "error", "disposed", "afterError", "onDispose"])
    }

    @Test("disposed by the subscriber")
    func disposed() {
        let subscription = subscribe(noting(Observable<Int>.never().noting("source", in: notes)))
        subscription.dispose()
        subscription.dispose()
        #expect(
            notes.all == [
                "onSubscribe", "source subscribed", "onSubscribed", "source disposed", "onDispose", "disposed",
            ])
    }

    @Test("one below another, a good end")
    func chained() {
        let subject = PublishSubject<Int>()
        _ = subscribe(noting(noting(subject, "a "), "b "))
        subject.onNext(1)
        subject.onCompleted()
        #expect(
            notes.all == [
                "b onSubscribe", "a onSubscribe", "a onSubscribed", "b onSubscribed",
                "a onNext 1", "b onNext 1", "next 1", "b afterNext 1", "a afterNext 1",
                "a onCompleted", "b onCompleted", "completed", "disposed", "b afterCompleted",
                "a onDispose", "b onDispose", "a afterCompleted",
            ])
    }

    @Test("above an operator that ends the sequence itself")
    func aboveTake() {
        let subject = PublishSubject<Int>()
        _ = subscribe(noting(subject).take(1))
        subject.onNext(1)
        #expect(
            notes.all == [
                "onSubscribe", "onSubscribed", "onNext 1", "next 1", "completed", "disposed", "onDispose",
                "afterNext 1",
            ])
    }

    @Test("what a closure throws is the error, and not shown to onError")
    func throwing() {
        let digits = Observable.of(1, 2)
        #expect(marbles(of: digits.do(onNext: { if $0 == 2 { throw Oops() } })) == "1 x")
        #expect(marbles(of: digits.do(afterNext: { if $0 == 1 { throw Oops() } })) == "1 x")
        #expect(marbles(of: digits.do(onCompleted: { throw Oops() })) == "1 2 x")
        #expect(marbles(of: digits.do(afterCompleted: { throw Oops() })) == "1 2 |")
        let shown = Locked(0)
        let thrown = digits.do(onNext: { _ in throw Oops() }, onError: { _ in shown.withLock { $0 += 1 } })
        #expect(marbles(of: thrown) == "x")
        #expect(shown.withLock { $0 } == 0)
        struct Other: Error {}
        let scheduler = TestScheduler(initialClock: 0)
        let source = scheduler.createHotObservable([.error(230, Oops(), Int.self)])
        let observer = scheduler.start { source.do(onError: { _ in throw Other() }) }
        #expect(observer.events == [.error(230, Other())])
        #expect(source.subscriptions == [Subscription(200, 230)])
    }

    @Test("a closure that throws disposes the source at that time")
    func throwingDisposes() {
        let scheduler = TestScheduler(initialClock: 0)
        let source = scheduler.createHotObservable([.next(210, 1), .next(220, 2), .next(230, 3)])
        let observer = scheduler.start { source.do(onNext: { if $0 == 2 { throw Oops() } }) }
        #expect(observer.events == [.next(210, 1), .error(220, Oops())])
        #expect(source.subscriptions == [Subscription(200, 220)])
    }
}
