import Dispatch
import Rx
import RxReactor
import RxTest
import Testing
import TestSupport

@Suite("The transforms of a reactor", .leakFree)
struct TransformTests {
    private let log = Log()
    private let bag = DisposeBag()

    @Test("what they send as they are subscribed goes the whole way")
    func atOnce() {
        let reactor = Probe(
            action: { $0.startWith("action") },
            mutate: { _, action in .of(action, "mutated") },
            mutation: { $0.startWith("mutation") },
            state: { $0.startWith(["state"]) })
        log.record("", reactor.state.map { $0.joined(separator: ",") }).disposed(by: bag)
        #expect(reactor.text == "mutation action mutated")
        #expect(log.text == "mutation,action,mutated")
    }

    @Test("within a sequence of the current thread too")
    func withinTrampoline() {
        let seen = Observable.of(1).map { [log] _ in
            let reactor = Probe(mutation: { .merge($0, .of("a", "b")) })
            _ = reactor.state
            log.write(reactor.text)
        }
        seen.subscribe().disposed(by: bag)
        #expect(log.text == "a b")
    }

    @Test("a transform may use the reactor's own streams")
    func ownStreams() {
        final class Echo: Reactor {
            let initialState = [String]()
            let store = Store()

            func mutate(action: String) -> Observable<String> { .just(action) }
            func reduce(state: [String], mutation: String) -> [String] { state + [mutation] }

            func transform(mutation: Observable<String>) -> Observable<String> {
                .merge(mutation, action.filter { $0 == "a" }.map { _ in "echo" })
            }
        }
        let echo = Echo()
        for action in ["a", "b"] { echo.action.onNext(action) }
        #expect(echo.currentState == ["echo", "a", "b"])
    }

    @Test("what transform(action:) sends from within a reduction waits for the action under way")
    func actionWithin() {
        let outlet = Locked<AnyObserver<String>?>(nil)
        let reactor = Probe(
            action: { action in
                Observable.create { observer in
                    outlet.withLock { $0 = observer }
                    return action.subscribe(observer)
                }
            },
            mutate: { [log] _, action in
                log.write("enter-\(action)")
                return Observable.of(action + "1", action + "2").do(onCompleted: { log.write("exit-\(action)") })
            },
            reduce: { _, state, mutation in
                if mutation == "A1" { outlet.withLock { $0 }?.onNext("B") }
                return state + [mutation]
            })
        reactor.action.onNext("A")
        #expect(log.text == "enter-A exit-A enter-B exit-B")
        // From outside of a turn it has one at once.
        outlet.withLock { $0 }?.onNext("C")
        #expect(log.all.suffix(2) == ["enter-C", "exit-C"])
        outlet.withLock { $0 = nil }
    }

    @Test("a mutation that comes from within a reduction, past all operators, is reduced after it")
    func mutationWithin() {
        let outlet = Locked<AnyObserver<String>?>(nil)
        let reactor = Probe(
            mutation: { mutation in
                Observable.create { observer in
                    outlet.withLock { $0 = observer }
                    return mutation.subscribe(observer)
                }
            },
            reduce: { _, state, mutation in
                if mutation == "a" { outlet.withLock { $0 }?.onNext("b") }
                return state + [mutation]
            })
        reactor.action.onNext("a")
        outlet.withLock { $0 }?.onNext("a")
        #expect(reactor.text == "a b a b")
        outlet.withLock { $0 = nil }
    }

    @Test("one that is subscribed again begins with the latest state")
    func latestState() {
        let other = BehaviorSubject(value: "x")
        let isFirst = Locked(true)
        let reactor = Probe(state: { states in
            let others = Observable<String>.deferred {
                let first = isFirst.withLock { first in
                    defer { first = false }
                    return first
                }
                return first ? other.map { if $0 == "bad" { throw Oops() } else { return $0 } } : .just("again")
            }
            return .combineLatest(states, others) { $0 + [$1] }
        })
        log.record("error:", reactor.errors).disposed(by: bag)
        log.record("", reactor.state.map { $0.joined(separator: ",") }).disposed(by: bag)
        reactor.action.onNext("a")
        other.onNext("bad")
        reactor.action.onNext("b")
        #expect(log.text == "x a,x error:transformState(oops) a,again a,b,again")
    }

    @Test("one that completes is over, and the rest goes on")
    func completes() {
        let reactor = Probe(action: { $0.take(1) }, state: { $0.take(3) })
        for action in ["a", "b"] { reactor.action.onNext(action) }
        #expect(reactor.text == "a")
    }

    @Test("one that delays leaves order and states as they come", .ownThreads(limit: .seconds(60)))
    func delays() {
        let scheduler = TestScheduler(initialClock: 0)
        let reactor = Probe(mutation: { $0.delay(.seconds(10), scheduler: scheduler) })
        for action in ["a", "b"] { reactor.action.onNext(action) }
        #expect(reactor.text == "")
        scheduler.start()
        #expect(reactor.text == "a b")
    }

    @Test("chains of a hundred thousand that send from within use no stack")
    func depth() {
        let count = 100_000
        let other = PublishSubject<String>()
        let reactor = Counting(other)
        reactor.state.subscribe(onNext: { [unowned reactor] state in
            if state < count { reactor.action.onNext("a") } else if state < 2 * count { other.onNext("b") }
        }).disposed(by: bag)
        #expect(reactor.currentState == 2 * count)
    }

    private final class Counting: Reactor {
        typealias Action = String

        let initialState = 0
        let store = Store()
        private let other: Observable<String>

        init(_ other: Observable<String>) { self.other = other }

        func transform(mutation: Observable<String>) -> Observable<String> { .merge(mutation, other) }
        func reduce(state: Int, mutation: String) -> Int { state + 1 }
    }
}
