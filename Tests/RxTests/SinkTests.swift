import Rx
import Testing
import TestSupport

@Suite("The grammar and disposal", .leakFree)
struct SinkTests {
    @Test("what a source sends after its end is dropped", arguments: ["|", "x"])
    func afterTheEnd(end: String) {
        let misbehaving = Observable<Int>.create { observer in
            observer.onNext(1)
            if end == "|" { observer.onCompleted() } else { observer.onError(Oops()) }
            observer.onNext(2)
            observer.onError(Oops())
            observer.onCompleted()
            return Disposables.create()
        }
        #expect(marbles(of: misbehaving) == "1 \(end)")
        #expect(marbles(of: misbehaving.map { $0 * 10 }.filter { _ in true }) == "10 \(end)")
    }

    @Test("nothing is delivered after dispose, and no operator closure runs")
    func afterDispose() {
        let subject = PublishSubject<Int>()
        let mapped = Locked(0)
        let recorder = Recorder<Int>()
        let subscription = subject.map { element in
            mapped.withLock { $0 += 1 }
            return element
        }.subscribe(recorder)
        subject.onNext(1)
        subscription.dispose()
        subject.onNext(2)
        subject.onCompleted()
        #expect(recorder.text == "1")
        #expect(mapped.withLock { $0 } == 1)
    }

    @Test("disposing from within a delivery stops a source that loops")
    func disposeWithin() {
        let subject = PublishSubject<Int>()
        let serial = SerialDisposable()
        let recorder = Recorder<Int>()
        serial.disposable = subject.flatMap { _ in Observable.range(start: 0, count: 1_000_000) }
            .do(onNext: { if $0 == 2 { serial.dispose() } })
            .subscribe(recorder)
        subject.onNext(0)
        #expect(recorder.text == "0 1")
    }

    @Test("the work of create is disposed once: at the end, or by the subscriber", arguments: [true, false])
    func disposesWorkOnce(ends: Bool) {
        let disposals = Locked(0)
        let observable = Observable<Int>.create { observer in
            if ends { observer.onCompleted() }
            return Disposables.create { disposals.withLock { $0 += 1 } }
        }
        let subscription = observable.subscribe()
        #expect(disposals.withLock { $0 } == (ends ? 1 : 0))
        subscription.dispose()
        subscription.dispose()
        #expect(disposals.withLock { $0 } == 1)
    }

    @Test("onDisposed comes once, after the end or at dispose")
    func onDisposed() {
        let log = Locked<[String]>([])
        let finished = Observable.just(1).subscribe(
            onNext: { _ in log.withLock { $0.append("next") } },
            onCompleted: { log.withLock { $0.append("completed") } },
            onDisposed: { log.withLock { $0.append("disposed") } })
        finished.dispose()
        let open = Observable<Int>.never().subscribe(onDisposed: { log.withLock { $0.append("disposed") } })
        open.dispose()
        open.dispose()
        #expect(log.withLock { $0 } == ["next", "completed", "disposed", "disposed"])
    }

    @Test("an end releases from the source down, before what follows it further up")
    func releasesFromTheTop() {
        let log = Locked<[String]>([])
        @Sendable func note(_ text: String) { log.withLock { $0.append(text) } }
        let subject = PublishSubject<Int>()
        let source = Observable<Int>.create { observer in
            let subscription = subject.subscribe(observer)
            return Disposables.create {
                subscription.dispose()
                note("source disposed")
            }
        }
        _ =
            source
            .do(afterCompleted: { note("after upper") }, onDispose: { note("upper disposed") })
            .do(afterCompleted: { note("after lower") }, onDispose: { note("lower disposed") })
            .subscribe(onCompleted: { note("completed") }, onDisposed: { note("disposed") })
        subject.onCompleted()
        #expect(
            log.withLock { $0 } == [
                "completed", "disposed", "after lower", "source disposed", "upper disposed", "lower disposed",
                "after upper",
            ])
    }

    @Test("an error thrown by an operator stops the source above it")
    func thrownErrorStopsSource() {
        let disposed = Locked(false)
        let source = Observable<Int>.create { observer in
            for element in 0..<5 { observer.onNext(element) }
            return Disposables.create { disposed.withLock { $0 = true } }
        }
        let calls = Locked(0)
        let failing = source.map { element -> Int in
            calls.withLock { $0 += 1 }
            if element == 1 { throw Oops() }
            return element
        }
        #expect(marbles(of: failing) == "0 x")
        #expect(disposed.withLock { $0 })
        #expect(calls.withLock { $0 } == 2)
    }

    @Test("a finished subscription releases what its source held")
    func releasesAfterEnd() {
        final class Held: Sendable {}
        weak var held: Held?
        let subject = PublishSubject<Int>()
        let subscription: any Disposable
        do {
            let object = Held()
            held = object
            subscription = subject.map { [object] element in
                withExtendedLifetime(object) { element }
            }.take(1).subscribe()
        }
        #expect(held != nil)
        subject.onNext(1)
        #expect(held == nil)
        subscription.dispose()
    }

    @Test("a subject that goes away lets go of its subscribers")
    func subjectGoesAway() {
        final class Held: Sendable {}
        weak var held: Held?
        do {
            let subject = PublishSubject<Int>()
            let object = Held()
            held = object
            _ = subject.map { $0 }.subscribe(onNext: { [object] _ in withExtendedLifetime(object) {} })
            #expect(subject.hasObservers)
        }
        #expect(held == nil)
    }

    @Test("a client's own observer and observable take part")
    func clientTypes() {
        struct Twice: ObservableType {
            typealias Element = Int

            func subscribe<Observer: ObserverType>(_ observer: Observer) -> any Disposable
            where Observer.Element == Int {
                observer.on(.next(1))
                observer.on(.next(2))
                observer.on(.completed)
                observer.on(.next(3))
                return Disposables.create()
            }
        }
        #expect(marbles(of: Twice().map { $0 + 1 }) == "2 3 |")
        #expect(marbles(of: Twice().asObservable()) == "1 2 |")
    }

    @Test("mapObserver and AnyObserver hand events on")
    func observers() {
        let recorder = Recorder<String>()
        let observer: AnyObserver<Int> = recorder.mapObserver { "<\($0)>" }
        observer.onNext(1)
        recorder.asObserver().onNext("a")
        observer.asObserver().on(.completed)
        #expect(recorder.text == "<1> a |")
    }
}
