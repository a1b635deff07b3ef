import Dispatch
import Rx
import RxTest
import Testing
import TestSupport

/// A use of each deprecated name. Deprecated itself, so that it compiles without warnings; the requirement that it
/// implements is not.
private protocol OldNames {
    func observables(_ scheduler: TestScheduler) -> [(name: String, old: Observable<Int>, new: Observable<Int>)]
    func traits(_ scheduler: TestScheduler) -> [(name: String, old: Observable<Int>, new: Observable<Int>)]
    func subscribe(_ single: Single<Int>, _ log: Log) -> any Disposable
}

private struct Names: OldNames {
    // Not stored, because the leak check counts what stays.
    private static var digits: Observable<Int> { .of(1, 2, 3, 4, 3, 2) }
    private static var failing: Observable<Int> { Observable.of(1, 2).concat(Observable.error(Oops())) }

    @available(*, deprecated)
    func observables(_ s: TestScheduler) -> [(name: String, old: Observable<Int>, new: Observable<Int>)] {
        let digits = Names.digits, failing = Names.failing
        let ticks = Observable<Int>.interval(.seconds(10), scheduler: s)
        let signal = Observable<Int>.timer(.seconds(35), scheduler: s)
        return [
            ("observeOn", digits.observeOn(s), digits.observe(on: s)),
            ("subscribeOn", digits.subscribeOn(s), digits.subscribe(on: s)),
            ("catchError", failing.catchError { _ in .just(9) }, failing.catch { _ in .just(9) }),
            (
                "catchError of a sequence", Observable.catchError([failing, digits]),
                Observable.catch(sequence: [failing, digits])
            ),
            ("catchErrorJustReturn", failing.catchErrorJustReturn(9), failing.catchAndReturn(9)),
            (
                "retryWhen", failing.retryWhen { (errors: Observable<any Error>) in errors.take(1) },
                failing.retry { (errors: Observable<any Error>) in errors.take(1) }
            ),
            (
                "retryWhen of a type", failing.retryWhen { (errors: Observable<Oops>) in errors.take(1) },
                failing.retry { (errors: Observable<Oops>) in errors.take(1) }
            ),
            ("elementAt", digits.elementAt(2), digits.element(at: 2)),
            ("take(_:scheduler:)", ticks.take(.seconds(25), scheduler: s), ticks.take(for: .seconds(25), scheduler: s)),
            ("takeUntil", ticks.takeUntil(signal), ticks.take(until: signal)),
            (
                "takeUntil with a predicate", digits.takeUntil(.inclusive) { $0 == 3 },
                digits.take(until: { $0 == 3 }, behavior: .inclusive)
            ),
            ("takeWhile", digits.takeWhile { $0 < 3 }, digits.take(while: { $0 < 3 })),
            ("skipUntil", ticks.skipUntil(signal).take(2), ticks.skip(until: signal).take(2)),
            ("skipWhile", digits.skipWhile { $0 < 3 }, digits.skip(while: { $0 < 3 })),
        ]
    }

    @available(*, deprecated)
    func traits(_ s: TestScheduler) -> [(name: String, old: Observable<Int>, new: Observable<Int>)] {
        let single = Single.just(1), failing = Single<Int>.error(Oops()), none = Maybe<Int>.error(Oops())
        let attempts = Locked(0)
        let second = Single<Int>.deferred {
            attempts.withLock { $0 += 1 }
            return attempts.withLock { $0 % 2 == 0 } ? .just(2) : .error(Oops())
        }
        let lists: [(name: String, old: Single<Int>, new: Single<Int>)] = [
            ("observeOn", single.observeOn(s), single.observe(on: s)),
            ("subscribeOn", single.subscribeOn(s), single.subscribe(on: s)),
            ("catchError", failing.catchError { _ in .just(9) }, failing.catch { _ in .just(9) }),
            ("catchErrorJustReturn", failing.catchErrorJustReturn(9), failing.catchAndReturn(9)),
            (
                "retryWhen", second.retryWhen { (errors: Observable<any Error>) in errors },
                second.retry { (errors: Observable<any Error>) in errors }
            ),
            (
                "retryWhen of a type", second.retryWhen { (errors: Observable<Oops>) in errors },
                second.retry { (errors: Observable<Oops>) in errors }
            ),
        ]
        return lists.map { ($0.name, $0.old.asObservable(), $0.new.asObservable()) } + [
            (
                "catchErrorJustReturn of a maybe", none.catchErrorJustReturn(9).asObservable(),
                none.catchAndReturn(9).asObservable()
            )
        ]
    }

    @available(*, deprecated)
    func subscribe(_ single: Single<Int>, _ log: Log) -> any Disposable {
        single.subscribe(
            onSuccess: { log.note("\($0)") }, onError: { _ in log.note("error") }, onDisposed: { log.note("disposed") })
    }
}

@Suite("The deprecated names", .leakFree)
struct DeprecatedNamesTests {
    @Test("do what the current ones do")
    func sameEvents() {
        let names: any OldNames = Names()
        for index in names.observables(TestScheduler(initialClock: 0)).indices {
            expectSame { names.observables($0)[index] }
        }
        for index in names.traits(TestScheduler(initialClock: 0)).indices {
            expectSame { names.traits($0)[index] }
        }
    }

    private func expectSame(_ make: (TestScheduler) -> (name: String, old: Observable<Int>, new: Observable<Int>)) {
        let first = TestScheduler(initialClock: 0), second = TestScheduler(initialClock: 0)
        let (name, old, _) = make(first)
        let new = make(second).new
        let ofOld = first.start { old }.events
        #expect(ofOld == second.start { new }.events, "\(name)")
        #expect(!ofOld.isEmpty, "\(name)")
    }

    @Test("subscribe to a single with onError")
    func single() {
        let names: any OldNames = Names()
        let log = Log()
        names.subscribe(.just(1), log).dispose()
        names.subscribe(.error(Oops()), log).dispose()
        #expect(log.text == "1, disposed, error, disposed")
    }
}
