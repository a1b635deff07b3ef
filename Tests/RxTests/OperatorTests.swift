import Rx
import Testing
import TestSupport

@Suite("Creation and operators, synchronously", .leakFree)
struct OperatorTests {
    private let digits = Observable.of(1, 2, 3, 4, 5)
    private let failing = Observable.concat(Observable.of(1, 2), .error(Oops()))

    @Test("sources send what they were made of")
    func sources() {
        #expect(marbles(of: Observable.just(1)) == "1 |")
        #expect(marbles(of: Observable<Int>.empty()) == "|")
        #expect(marbles(of: Observable<Int>.never()) == "")
        #expect(marbles(of: Observable<Int>.error(Oops())) == "x")
        #expect(marbles(of: digits) == "1 2 3 4 5 |")
        #expect(marbles(of: Observable.from([1, 2])) == "1 2 |")
        #expect(marbles(of: Observable.from(Set([7]))) == "7 |")
        #expect(marbles(of: Observable.from(optional: 1)) == "1 |")
        #expect(marbles(of: Observable<Int>.from(optional: nil)) == "|")
        #expect(marbles(of: Observable.range(start: 3, count: 3)) == "3 4 5 |")
        #expect(marbles(of: Observable<UInt8>.range(start: 254, count: 2)) == "254 255 |")
        #expect(marbles(of: Observable.range(start: 3, count: 0)) == "|")
    }

    @Test("deferred makes a sequence for each subscriber, or fails with what the factory throws")
    func deferred() {
        let made = Locked(0)
        let observable = Observable<Int>.deferred {
            .just(
                made.withLock {
                    $0 += 1; return $0
                })
        }
        #expect(marbles(of: observable) == "1 |")
        #expect(marbles(of: observable) == "2 |")
        #expect(marbles(of: Observable<Int>.deferred { throw Oops() }) == "x")
    }

    @Test("map, compactMap and filter transform and choose; what they throw is the error")
    func elementwise() {
        #expect(marbles(of: digits.map { $0 * 2 }) == "2 4 6 8 10 |")
        #expect(marbles(of: digits.compactMap { $0 % 2 == 0 ? "\($0)!" : nil }) == "2! 4! |")
        #expect(marbles(of: digits.filter { $0 > 3 }) == "4 5 |")
        #expect(marbles(of: failing.map { -$0 }) == "-1 -2 x")
        #expect(marbles(of: digits.map { if $0 == 2 { throw Oops() } else { $0 } }) == "1 x")
        #expect(marbles(of: digits.compactMap { if $0 == 2 { throw Oops() } else { $0 } }) == "1 x")
        #expect(marbles(of: digits.filter { if $0 == 2 { throw Oops() } else { true } }) == "1 x")
    }

    @Test("do calls its closures in place")
    func doInPlace() {
        let log = Locked<[String]>([])
        @Sendable func note(_ text: String) { log.withLock { $0.append(text) } }
        _ = Observable.just(1).do(
            onNext: { note("onNext \($0)") }, afterNext: { note("afterNext \($0)") },
            onCompleted: { note("onCompleted") },
            afterCompleted: { note("afterCompleted") }, onSubscribe: { note("onSubscribe") },
            onSubscribed: { note("onSubscribed") }, onDispose: { note("onDispose") }
        ).subscribe(onNext: { _ in note("next") }, onCompleted: { note("completed") })
        #expect(
            log.withLock { $0 } == [
                "onSubscribe", "onNext 1", "next", "afterNext 1", "onCompleted", "completed", "afterCompleted",
                "onSubscribed", "onDispose",
            ])
        #expect(marbles(of: digits.do(onNext: { if $0 == 3 { throw Oops() } })) == "1 2 x")
    }

    @Test("take, take(while:), take(until:) and skip cut")
    func cuts() {
        #expect(marbles(of: digits.take(2)) == "1 2 |")
        #expect(marbles(of: digits.take(0)) == "|")
        #expect(marbles(of: digits.take(9)) == "1 2 3 4 5 |")
        #expect(marbles(of: digits.skip(3)) == "4 5 |")
        #expect(marbles(of: digits.skip(9)) == "|")
        #expect(marbles(of: digits.take(while: { $0 < 3 })) == "1 2 |")
        #expect(marbles(of: digits.take(while: { $0 < 3 }, behavior: .inclusive)) == "1 2 3 |")
        #expect(marbles(of: digits.take(until: { $0 == 3 })) == "1 2 |")
        #expect(marbles(of: digits.take(until: { $0 == 3 }, behavior: .inclusive)) == "1 2 3 |")
        #expect(marbles(of: digits.take(while: { _ in throw Oops() })) == "x")
        #expect(marbles(of: digits.take(until: Observable.just(0))) == "|")
        #expect(marbles(of: digits.take(until: Observable<Int>.empty())) == "1 2 3 4 5 |")
    }

    @Test("take counts an element before what it brings about")
    func takeReentrant() {
        let subject = PublishSubject<Int>()
        let recorder = Recorder<Int>()
        _ = subject.take(2).do(onNext: { subject.onNext($0 + 1) }).subscribe(recorder)
        subject.onNext(1)
        #expect(recorder.text == "1 2 |")
    }

    @Test("take(until:) ends when the other has an element, and stops both")
    func takeUntilSubject() {
        let source = PublishSubject<Int>(), signal = PublishSubject<Void>()
        let recorder = Recorder<Int>()
        _ = source.take(until: signal).subscribe(recorder)
        source.onNext(1)
        signal.onNext(())
        source.onNext(2)
        #expect(recorder.text == "1 |")
        #expect(!source.hasObservers && !signal.hasObservers)
    }

    @Test("scan, reduce and toArray accumulate")
    func accumulate() {
        #expect(marbles(of: digits.scan(0) { $0 + $1 }) == "1 3 6 10 15 |")
        #expect(marbles(of: digits.scan(into: 1) { $0 *= $1 }) == "1 2 6 24 120 |")
        #expect(marbles(of: digits.reduce(0) { $0 + $1 }) == "15 |")
        #expect(marbles(of: Observable<Int>.empty().reduce(7) { $0 + $1 }) == "7 |")
        #expect(marbles(of: digits.reduce(0, accumulator: +, mapResult: { "<\($0)>" })) == "<15> |")
        #expect(marbles(of: failing.reduce(0) { $0 + $1 }) == "x")
        #expect(marbles(of: digits.scan(0) { _, _ in throw Oops() }) == "x")
        #expect(marbles(of: digits.toArray().asObservable()) == "[1, 2, 3, 4, 5] |")
    }

    @Test("an accumulation begins anew for each subscriber")
    func accumulateAnew() {
        let sums = digits.scan(0) { $0 + $1 }
        #expect(marbles(of: sums) == marbles(of: sums))
    }

    @Test("startWith and concat put sequences one after the other")
    func sequences() {
        #expect(marbles(of: digits.startWith(8, 9)) == "8 9 1 2 3 4 5 |")
        #expect(marbles(of: digits.startWith(8, 9).take(1)) == "8 |")
        #expect(marbles(of: Observable.of(1).concat(Observable.of(2, 3))) == "1 2 3 |")
        #expect(marbles(of: Observable.concat([Observable.of(1), .empty(), .of(2)])) == "1 2 |")
        #expect(marbles(of: failing.concat(digits)) == "1 2 x")
        #expect(marbles(of: Observable.of(Observable.of(1, 2), .of(3)).concat()) == "1 2 3 |")
    }

    @Test("merge, flatMap and their like hand on all, and end with the last")
    func merging() {
        #expect(marbles(of: Observable.merge(Observable.just(1), .just(2))) == "1 2 |")
        #expect(marbles(of: Observable<Int>.merge([])) == "|")
        #expect(marbles(of: digits.flatMap { Observable.just($0 * 10) }) == "10 20 30 40 50 |")
        #expect(marbles(of: digits.flatMap { _ in Observable<Int>.empty() }) == "|")
        #expect(marbles(of: digits.flatMap { $0 == 3 ? Observable.error(Oops()) : .just($0) }) == "1 2 x")
        #expect(marbles(of: digits.flatMap { if $0 == 3 { throw Oops() } else { Observable.just($0) } }) == "1 2 x")
        #expect(marbles(of: digits.concatMap { Observable.of($0, -$0) }.take(4)) == "1 -1 2 -2 |")
        #expect(marbles(of: digits.flatMapLatest { Observable.just($0) }) == "1 2 3 4 5 |")
    }

    @Test("flatMap hands on what an endless inner sequence sends at once, as it comes")
    func flatMapEndless() {
        let endless = Observable.just(0).flatMap { _ in Observable.range(start: 0, count: Int.max) }
        #expect(marbles(of: endless.take(3)) == "0 1 2 |")
    }

    @Test("flatMap goes on until inner sequences end, also after the outer has")
    func flatMapLifetimes() {
        let outer = PublishSubject<PublishSubject<Int>>()
        let first = PublishSubject<Int>(), second = PublishSubject<Int>()
        let recorder = Recorder<Int>()
        let subscription = outer.flatMap { $0 }.subscribe(recorder)
        outer.onNext(first)
        outer.onNext(second)
        outer.onCompleted()
        first.onNext(1)
        second.onNext(2)
        first.onCompleted()
        second.onNext(3)
        #expect(recorder.text == "1 2 3")
        #expect(second.hasObservers)
        subscription.dispose()
        #expect(!second.hasObservers)
    }

    @Test("flatMapLatest follows the latest only")
    func latest() {
        let outer = PublishSubject<PublishSubject<Int>>()
        let first = PublishSubject<Int>(), second = PublishSubject<Int>()
        let recorder = Recorder<Int>()
        _ = outer.flatMapLatest { $0 }.subscribe(recorder)
        outer.onNext(first)
        first.onNext(1)
        outer.onNext(second)
        #expect(!first.hasObservers)
        first.onNext(9)
        second.onNext(2)
        outer.onCompleted()
        second.onNext(3)
        second.onCompleted()
        #expect(recorder.text == "1 2 3 |")
    }

    @Test("merge(maxConcurrent:) lets others wait")
    func mergeLimited() {
        let subjects = (0..<3).map { _ in PublishSubject<Int>() }
        let recorder = Recorder<Int>()
        _ = Observable.from(subjects).merge(maxConcurrent: 2).subscribe(recorder)
        #expect(subjects.map(\.hasObservers) == [true, true, false])
        subjects[0].onCompleted()
        #expect(subjects.map(\.hasObservers) == [false, true, true])
        subjects[2].onNext(1)
        subjects[1].onNext(2)
        subjects[1].onCompleted()
        subjects[2].onCompleted()
        #expect(recorder.text == "1 2 |")
    }

    @Test("merge hands on every element of two threads, one at a time")
    func mergeConcurrently() async {
        let left = PublishSubject<Int>(), right = PublishSubject<Int>()
        let inside = Locked(0), overlaps = Locked(0), sum = Locked(0), ends = Locked(0)
        _ = Observable.merge(left, right).subscribe(
            onNext: { element in
                if inside.withLock({
                    $0 += 1; return $0
                }) > 1 {
                    overlaps.withLock { $0 += 1 }
                }
                sum.withLock { $0 += element }
                inside.withLock { $0 -= 1 }
            },
            onCompleted: { ends.withLock { $0 += 1 } })
        await withTaskGroup(of: Void.self) { group in
            for subject in [left, right] {
                group.addTask {
                    for element in 1...5_000 { subject.onNext(element) }
                    subject.onCompleted()
                }
            }
        }
        #expect(sum.withLock { $0 } == 5_000 * 5_001)
        #expect(overlaps.withLock { $0 } == 0)
        #expect(ends.withLock { $0 } == 1)
    }

    @Test("combineLatest takes turns with sources on the current thread")
    func combineLatest() {
        let pairs = Observable.combineLatest(Observable.of(1, 2), Observable.of("a", "b")) { "\($0)\($1)" }
        #expect(marbles(of: pairs) == "1a 2a 2b |")
        let three = Observable.combineLatest(Observable.just(1), Observable.just("a"), Observable.just(2.5))
        #expect(marbles(of: three.map { "\($0)\($1)\($2)" }) == "1a2.5 |")
        let sums = Observable.combineLatest([Observable.just(1), .just(2)]) { $0.reduce(0, +) }
        #expect(marbles(of: sums) == "3 |")
        let none = Observable.combineLatest(Observable<Int>.empty(), Observable<Int>.never()) { $0 + $1 }
        #expect(marbles(of: none) == "")
        let thrown = Observable<Int>.combineLatest(Observable.just(1), Observable.just(2)) { _, _ in throw Oops() }
        #expect(marbles(of: thrown) == "x")
    }

    @Test("combineLatest ends with the last pair of two threads")
    func combineLatestConcurrently() async {
        let left = PublishSubject<Int>(), right = PublishSubject<Int>()
        let last = Locked((0, 0))
        let subscription = Observable.combineLatest(left, right) { ($0, $1) }.subscribe(onNext: { pair in
            last.withLock { $0 = pair }
        }
        )
        await withTaskGroup(of: Void.self) { group in
            for subject in [left, right] { group.addTask { for element in 1...5_000 { subject.onNext(element) } } }
        }
        #expect(last.withLock { $0 } == (5_000, 5_000))
        subscription.dispose()
    }

    @Test("withLatestFrom takes the other's latest, and nothing before it has one")
    func withLatestFrom() {
        let source = PublishSubject<Int>(), other = PublishSubject<String>()
        let recorder = Recorder<String>(), plain = Recorder<String>()
        _ = source.withLatestFrom(other) { "\($0)\($1)" }.subscribe(recorder)
        _ = source.withLatestFrom(other).subscribe(plain)
        source.onNext(1)
        other.onNext("a")
        source.onNext(2)
        other.onCompleted()
        source.onNext(3)
        source.onCompleted()
        #expect(recorder.text == "2a 3a |")
        #expect(plain.text == "a a |")
    }

    @Test("distinctUntilChanged drops what equals the one before")
    func distinct() {
        let source = Observable.of(1, 1, 2, 2, 1)
        #expect(marbles(of: source.distinctUntilChanged()) == "1 2 1 |")
        #expect(marbles(of: digits.distinctUntilChanged { $0 / 2 }) == "1 2 4 |")
        #expect(marbles(of: digits.distinctUntilChanged { $1 - $0 < 2 }) == "1 3 5 |")
    }

    @Test("catch goes on with another sequence")
    func catching() {
        #expect(marbles(of: failing.catch { _ in .of(8, 9) }) == "1 2 8 9 |")
        #expect(marbles(of: failing.catchAndReturn(0)) == "1 2 0 |")
        #expect(marbles(of: failing.catch { _ in throw Oops() }) == "1 2 x")
        #expect(marbles(of: digits.catchAndReturn(0)) == "1 2 3 4 5 |")
    }

    @Test("what takes the place of a failed sequence is disposed with the subscription")
    func catchDisposes() {
        let replacement = PublishSubject<Int>()
        let subscription = failing.catch { _ in replacement }.subscribe()
        #expect(replacement.hasObservers)
        subscription.dispose()
        #expect(!replacement.hasObservers)
    }

    @Test("materialize makes events elements, and dematerialize undoes it")
    func materialize() {
        #expect(marbles(of: Observable.just(1).materialize()) == "next(1) completed |")
        #expect(marbles(of: failing.materialize().dematerialize()) == "1 2 x")
        #expect(marbles(of: digits.materialize().dematerialize()) == "1 2 3 4 5 |")
    }
}
