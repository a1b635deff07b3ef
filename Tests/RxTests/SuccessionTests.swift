import Rx
import Testing
import TestSupport

/// How often what must need no deeper stack is repeated: a million times; less in debug builds, where that takes long,
/// but often enough to overflow any stack.
#if DEBUG
    let manySteps = 100_000
#else
    let manySteps = 1_000_000
#endif

@Suite("Sequences one after the other, many times", .leakFree)
struct SuccessionTests {
    @Test(
        "synchronous steps need no deeper stack and keep nothing of those before",
        arguments: ["concat", "concat()", "concatMap", "catch(sequence:)", "retry()", "retry(_:)", "retry(when:)"])
    func steps(name: String) {
        let alive = Alive()
        let completing = Steps(alive: alive) { _ in .just(1) }
        let failing = Steps(alive: alive) { $0 == manySteps ? .just(1) : .error(Oops()) }
        let attempts = Observable.deferred { failing.step() }
        let numbers = Observable.range(start: 0, count: manySteps)
        let result =
            switch name {
            case "concat": Observable.concat(completing)
            case "concat()": numbers.map { _ in completing.step() }.concat()
            case "concatMap": numbers.concatMap { _ in completing.step() }
            case "catch(sequence:)": Observable.catch(sequence: failing)
            case "retry()": attempts.retry()
            case "retry(_:)": attempts.retry(manySteps)
            default: attempts.retry(when: { (errors: Observable<any Error>) in errors })
            }
        let count = Locked(0), ends = Locked(0)
        _ = result.take(manySteps).subscribe(
            onNext: { element in count.withLock { $0 += element } }, onCompleted: { ends.withLock { $0 += 1 } })
        #expect(count.withLock { $0 } == (name.hasPrefix("concat") ? manySteps : 1))
        #expect(ends.withLock { $0 } == 1)
        #expect(alive.most <= 4)
        #expect(alive.now == 0)
    }

    @Test("a succession that is disposed goes no further")
    func disposed() {
        let alive = Alive()
        let steps = Steps(alive: alive) { _ in .just(1) }
        #expect(marbles(of: Observable.concat(steps).take(3)) == "1 1 1 |")
        #expect(alive.made == 3)
        let failing = Steps(alive: alive) { $0 < 6 ? .error(Oops()) : .just(1).concat(.never()) }
        let subscription = SerialDisposable()
        subscription.disposable = Observable.catch(sequence: failing)
            .do(onNext: { _ in subscription.dispose() }).subscribe()
        #expect(alive.made == 6)
        #expect(alive.now == 0)
    }
}

/// Counts what is alive.
private final class Alive: Sendable {
    private let counts = Locked((now: 0, most: 0, made: 0))

    var now: Int { counts.withLock { $0.now } }
    var most: Int { counts.withLock { $0.most } }
    var made: Int { counts.withLock { $0.made } }

    func add() -> Int {
        counts.withLock {
            $0.now += 1
            $0.made += 1
            $0.most = max($0.most, $0.now)
            return $0.made
        }
    }

    func remove() { counts.withLock { $0.now -= 1 } }
}

/// Endless: each step is an observable that is alive as long as something holds it.
private struct Steps: Sequence, IteratorProtocol, Sendable {
    let alive: Alive
    let make: @Sendable (Int) -> Observable<Int>

    func next() -> Observable<Int>? { step() }

    func step() -> Observable<Int> {
        let token = Token(alive)
        let source = make(token.number)
        return Observable.create { observer in
            withExtendedLifetime(token) { source.subscribe(observer) }
        }
    }

    private final class Token: Sendable {
        let alive: Alive
        let number: Int

        init(_ alive: Alive) {
            self.alive = alive
            number = alive.add()
        }

        deinit { alive.remove() }
    }
}
