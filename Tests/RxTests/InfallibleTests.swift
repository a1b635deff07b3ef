import Rx
import Testing
import TestSupport

@Suite("Infallible", .leakFree)
struct InfallibleTests {
    private let failing = Observable.concat(Observable.of(1, 2), .error(Oops()))

    @Test("sources of infallibles")
    func sources() {
        #expect(marbles(of: Infallible.just(1)) == "1 |")
        #expect(marbles(of: Infallible<Int>.never()) == "")
        #expect(marbles(of: Infallible<Int>.empty()) == "|")
        #expect(marbles(of: Infallible.of(1, 2)) == "1 2 |")
        #expect(marbles(of: Infallible.from([1, 2])) == "1 2 |")
        #expect(marbles(of: Infallible.from(1...3)) == "1 2 3 |")
        #expect(marbles(of: Infallible.deferred { Infallible.just(1) }) == "1 |")
    }

    @Test("what a creator sends after its end is dropped, and its work is disposed")
    func create() {
        let log = Log()
        let infallible = Infallible<Int>.create { observer in
            observer(.next(1))
            observer(.next(2))
            observer(.completed)
            observer(.next(3))
            return Disposables.create { log.note("disposed") }
        }
        #expect(marbles(of: infallible) == "1 2 |")
        #expect(log.text == "disposed")
    }

    @Test("asInfallible puts something in the place of an error")
    func asInfallible() {
        #expect(marbles(of: failing.asInfallible(onErrorJustReturn: 9)) == "1 2 9 |")
        #expect(marbles(of: failing.asInfallible(onErrorFallbackTo: .of(8, 9))) == "1 2 8 9 |")
        #expect(marbles(of: failing.asInfallible { .just($0 is Oops ? 7 : 0) }) == "1 2 7 |")
        #expect(marbles(of: Observable.of(1).asInfallible(onErrorJustReturn: 9)) == "1 |")
    }

    @Test("each kind of subscription delivers the events")
    func subscriptions() {
        let log = Log()
        let numbers = Infallible.of(1, 2)
        _ = numbers.subscribe { log.note("\($0)") }
        _ = numbers.subscribe(
            onNext: { log.note("\($0)") }, onCompleted: { log.note("completed") }, onDisposed: { log.note("disposed") })
        _ = numbers.subscribe(
            with: log, onNext: { $0.note("\($1)") }, onCompleted: { $0.note("completed") },
            onDisposed: { $0.note("disposed") })
        let parts = ["next(1), next(2), completed", "1, 2, completed, disposed", "1, 2, completed, disposed"]
        #expect(log.text == parts.joined(separator: ", "))
        let recorder = Recorder<Int>()
        _ = numbers.subscribe(recorder)
        #expect(recorder.text == "1 2 |")
    }
}
