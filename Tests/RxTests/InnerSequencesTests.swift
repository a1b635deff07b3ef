import Rx
import Testing
import TestSupport

@Suite("Inner sequences of one element, which take a short way", .leakFree)
struct InnerSequencesTests {
    typealias Flattening =
        @Sendable (Observable<Int>, @escaping @Sendable (Int) throws -> Observable<Int>) ->
        Observable<Int>

    static let flattenings: [Flattening] = [
        { $0.flatMap($1) }, { $0.flatMapLatest($1) }, { $0.concatMap($1) },
    ]

    @Test("just, empty and error are what they are, among others", arguments: flattenings.indices)
    func kinds(index: Int) {
        let flatten = Self.flattenings[index]
        let source = Observable.of(1, 2, 3, 4)
        #expect(marbles(of: flatten(source) { .just($0) }) == "1 2 3 4 |")
        #expect(marbles(of: flatten(source) { $0 == 2 ? .empty() : .just($0) }) == "1 3 4 |")
        #expect(marbles(of: flatten(source) { $0 == 3 ? .error(Oops()) : .just($0) }) == "1 2 x")
        #expect(marbles(of: flatten(.empty()) { .just($0) }) == "|")
        #expect(
            marbles(
                of: flatten(source) {
                    if $0 == 3 { throw Oops() }
                    return .just($0)
                }) == "1 2 x")
    }

    @Test("after an inner sequence that stays, flatMap hands on both", arguments: [true, false])
    func mixed(switches: Bool) {
        let outer = PublishSubject<Int>()
        let inner = PublishSubject<Int>()
        let recorder = Recorder<Int>()
        let selector: @Sendable (Int) -> Observable<Int> = { $0 == 0 ? inner : .just($0) }
        _ = (switches ? outer.flatMapLatest(selector) : outer.flatMap(selector)).subscribe(recorder)
        outer.onNext(1)
        outer.onNext(0)
        inner.onNext(10)
        outer.onNext(2)
        inner.onNext(20)
        outer.onCompleted()
        #expect(recorder.text == (switches ? "1 10 2 |" : "1 10 2 20"))
        #expect(inner.hasObservers != switches)
        inner.onCompleted()
        #expect(recorder.text == (switches ? "1 10 2 |" : "1 10 2 20 |"))
    }

    @Test("an element that its own delivery brings about comes after it", arguments: flattenings.indices)
    func reentrant(index: Int) {
        let subject = PublishSubject<Int>()
        let log = Locked<[String]>([])
        let subscription = Self.flattenings[index](subject) { .just($0) }.subscribe(onNext: { element in
            log.withLock { $0.append("(\(element)") }
            if element < 3 { subject.onNext(element + 1) }
            log.withLock { $0.append(")") }
        })
        subject.onNext(1)
        #expect(log.withLock { $0.joined() } == "(1)(2)(3)")
        subscription.dispose()
    }

    @Test("disposed within, nothing more comes and the source is let go", arguments: flattenings.indices)
    func disposeWithin(index: Int) {
        let subject = PublishSubject<Int>()
        let serial = SerialDisposable()
        let recorder = Recorder<Int>()
        serial.disposable = Self.flattenings[index](subject) { .just($0) }
            .do(onNext: { if $0 == 2 { serial.dispose() } }).subscribe(recorder)
        for element in 1...3 { subject.onNext(element) }
        #expect(recorder.text == "1")
        #expect(!subject.hasObservers)
    }

    @Test("flatMapLatest drops the inner sequence before, also in a loop of a hundred thousand")
    func latestLoop() {
        let outer = PublishSubject<Int>()
        let inner = PublishSubject<Int>()
        let sum = Locked(0)
        let subscription = outer.flatMapLatest { number in inner.map { $0 + number } }
            .subscribe(onNext: { element in sum.withLock { $0 += element } })
        for number in 0..<100_000 {
            outer.onNext(number)
            inner.onNext(1)
        }
        #expect(sum.withLock { $0 } == (0..<100_000).reduce(0) { $0 + $1 + 1 })
        subscription.dispose()
        #expect(!inner.hasObservers && !outer.hasObservers)
    }

    @Test("what just's subscriber subscribes runs at once, as there is nothing to take turns with")
    func nested() {
        let log = Locked<[String]>([])
        _ = Observable.just(1).subscribe(onNext: { _ in
            _ = Observable.of(2, 3).subscribe(onNext: { element in log.withLock { $0.append("\(element)") } })
            log.withLock { $0.append("after") }
        })
        #expect(log.withLock { $0 } == ["2", "3", "after"])
    }
}
