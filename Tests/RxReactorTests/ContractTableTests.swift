import Dispatch
import Rx
import RxReactor
import RxTest
import Testing
import TestSupport

/// One test a row of the contract's table of what the original gets wrong.
@Suite("What reactors do better, row by row", .leakFree)
struct ContractTableTests {
    private let log = Log()
    private let bag = DisposeBag()

    private static let failing: @Sendable (Observable<String>) -> Observable<String> = { texts in
        texts.map { text in
            if text == "bad" { throw Oops() }
            return text
        }
    }

    @Test("row 1: an error out of transform(mutation:) is reported, and nothing but what it came from is lost")
    func row1Mutation() {
        let reactor = Probe(
            mutate: { _, action in .of(action, "bad", action) }, mutation: ContractTableTests.failing)
        log.record("", reactor.errors).disposed(by: bag)
        for action in ["a", "b"] { reactor.action.onNext(action) }
        #expect(reactor.text == "a a b b")
        #expect(log.text == "transformMutation(oops) transformMutation(oops)")
    }

    @Test("row 1: an error out of transform(action:) is reported; what waits is processed after it")
    func row1Action() {
        let reactor = Probe(action: ContractTableTests.failing)
        log.record("", reactor.errors).disposed(by: bag)
        reactor.state.subscribe(onNext: { [unowned reactor] state in
            if state == ["a"] { for action in ["b", "bad", "c"] { reactor.action.onNext(action) } }
        }).disposed(by: bag)
        for action in ["a", "d"] { reactor.action.onNext(action) }
        #expect(reactor.text == "a b c d")
        #expect(log.text == "transformAction(oops)")
    }

    @Test("row 1: an error out of transform(state:) is reported once, and the next state comes through")
    func row1State() {
        let reactor = Probe(state: { states in
            states.map { state in
                if state.last == "bad" { throw Oops() }
                return state
            }
        })
        log.record("error:", reactor.errors).disposed(by: bag)
        log.record("", reactor.state.map { $0.joined(separator: ",") }).disposed(by: bag)
        for action in ["a", "bad", "b"] { reactor.action.onNext(action) }
        #expect(log.text == " a error:transformState(oops) a,bad,b")
    }

    @Test("row 1: a stream merged in that has failed for good takes nothing else with it", arguments: [1, 5])
    func row1Dead(count: Int) {
        let other = PublishSubject<String>()
        let reactor = Probe(mutation: { .merge($0, other) })
        log.record("", reactor.errors).disposed(by: bag)
        reactor.action.onNext("a")
        other.onNext("o")
        other.onError(Oops())
        for index in 0..<count { reactor.action.onNext("\(index)") }
        #expect(reactor.text == (["a", "o"] + (0..<count).map { "\($0)" }).joined(separator: " "))
        // The failure is reported once, not with each mutation.
        #expect(log.text == "transformMutation(oops)")
    }

    @Test("row 1: what a transform that fails at once does not take is reported each time")
    func row1Refusing() {
        let other = PublishSubject<String>()
        let reactor = Probe(mutation: { .merge(other, $0) })
        log.record("", reactor.errors).disposed(by: bag)
        reactor.action.onNext("a")
        other.onError(Oops())
        reactor.action.onNext("b")
        reactor.action.onNext("c")
        #expect(reactor.text == "a")
        #expect(log.all == [String](repeating: "transformMutation(oops)", count: 3))
    }

    @Test("row 1: a stream merged in that fails once is heard again, without an action in between")
    func row1Transient() {
        let sources = [PublishSubject<String>(), PublishSubject<String>()]
        let next = Locked(0)
        let reactor = Probe(mutation: { mutation in
            let other = Observable<String>.deferred {
                sources[
                    next.withLock { next in
                        defer { next += 1 }
                        return next
                    }]
            }
            return .merge(mutation, other)
        })
        log.record("", reactor.errors).disposed(by: bag)
        log.record("", reactor.state.map { $0.joined() }).disposed(by: bag)
        sources[0].onError(Oops())
        withExtendedLifetime(reactor) { sources[1].onNext("x") }
        #expect(log.text == " transformMutation(oops) x")
    }

    @Test("row 1: a transform that fails on another thread each time it is subscribed does not spin")
    func row1Spinning() async {
        let scheduler = SerialDispatchQueueScheduler(qos: .default)
        let subscribed = Locked(0)
        let reactor = Probe(mutation: { mutation in
            .merge(
                mutation,
                Observable<String>.deferred {
                    subscribed.withLock { $0 += 1 }
                    return Observable<String>.error(Oops()).observe(on: scheduler)
                })
        })
        log.record("", reactor.errors).disposed(by: bag)
        _ = reactor.state
        #expect(await eventually { subscribed.withLock { $0 } == 2 })
        // Whoever would subscribe again has been on the queue by then.
        for _ in 0..<3 {
            await withCheckedContinuation { continuation in
                _ = scheduler.schedule(()) { _ in
                    continuation.resume()
                    return Disposables.create()
                }
            }
        }
        #expect(subscribed.withLock { $0 } == 2)
        #expect(log.text == "transformMutation(oops)")
        reactor.action.onNext("a")
        #expect(reactor.text == "a")
    }

    @Test("row 2: errors of mutate are reported, each with its place, also when they come later")
    func row2() {
        let scheduler = TestScheduler(initialClock: 0)
        let reactor = Probe(mutate: { _, action in
            action == "now"
                ? .error(Oops())
                : Observable<String>.error(Oops()).delaySubscription(.seconds(10), scheduler: scheduler)
        })
        log.record(
            "",
            reactor.errors.map { error in
                switch error {
                case .mutate(let error): "mutate-\(error)"
                case .transformAction, .transformMutation, .transformState, .refused: "elsewhere"
                }
            }
        ).disposed(by: bag)
        reactor.action.onNext("later")
        reactor.action.onNext("now")
        #expect(log.text == "mutate-oops")
        withExtendedLifetime(reactor) { scheduler.start() }
        #expect(log.text == "mutate-oops mutate-oops")
    }

    @Test("row 3: of eight threads that send, one at a time is within the reactor, and no action is lost")
    func row3Threads() async {
        #if RX_TSAN
            // ThreadSanitizer is an order slower.
            let count = 500
        #else
            let count = 5_000
        #endif
        let inside = Locked(0), overlaps = Locked(0)
        let check: @Sendable (Int) -> Void = { change in
            let now = inside.withLock { inside in
                inside += change
                return inside
            }
            if now > 1 { overlaps.withLock { $0 += 1 } }
        }
        let other = PublishSubject<Int>()
        let reactor = Adder(other, check)
        let sums = Locked<[Int]>([])
        let states = reactor.state.subscribe(onNext: { state in sums.withLock { $0.append(state.sum) } })
        await onThreads(8) { thread in
            for index in 0..<count {
                switch thread {
                case 0: other.onNext(1)
                case 1: _ = reactor.currentState.sum
                default: reactor.action.onNext(index % 100 == 0 ? .addLater(1) : .add(1))
                }
            }
        }
        #expect(await eventually { reactor.currentState.sum == 7 * count })
        #expect(overlaps.withLock { $0 } == 0)
        #expect(sums.withLock { $0 } == Array(0...7 * count))
        states.dispose()
    }

    @Test("row 3: with a scheduler all of it happens there, and at once for who is there already")
    func row3Scheduler() async {
        let queue = DispatchQueue(label: "row3")
        let scheduler = SerialDispatchQueueScheduler(queue: queue, internalSerialQueueName: "row3.reactor")
        let key = DispatchSpecificKey<Bool>()
        queue.setSpecific(key: key, value: true)
        let elsewhere = Locked(0)
        let check: @Sendable () -> Void = {
            if DispatchQueue.getSpecific(key: key) != true { elsewhere.withLock { $0 += 1 } }
        }
        let reactor = Probe(
            scheduler: scheduler,
            mutate: { _, action in
                check()
                return .just(action)
            },
            reduce: { _, state, mutation in
                check()
                return state + [mutation]
            })
        _ = reactor.state
        await onThreads(4) { _ in for _ in 0..<300 { reactor.action.onNext("a") } }
        #expect(await eventually { reactor.currentState.count == 1_200 })
        let counts = await withCheckedContinuation { continuation in
            _ = scheduler.schedule(()) { _ in
                reactor.action.onNext("b")
                let first = reactor.currentState.count
                reactor.action.onNext("c")
                continuation.resume(returning: [first, reactor.currentState.count])
                return Disposables.create()
            }
        }
        #expect(counts == [1_201, 1_202])
        #expect(elsewhere.withLock { $0 } == 0)
    }

    @Test("row 3: a scheduler in virtual time decides when")
    func row3VirtualTime() {
        let scheduler = TestScheduler(initialClock: 0)
        let reactor = Probe(scheduler: scheduler)
        let observer = scheduler.createObserver(Int.self)
        reactor.state.map(\.count).subscribe(observer).disposed(by: bag)
        scheduler.scheduleAt(10) { reactor.action.onNext("a") }
        scheduler.scheduleAt(20) { for action in ["b", "c"] { reactor.action.onNext(action) } }
        scheduler.start()
        #expect(observer.events == [.next(0, 0), .next(11, 1), .next(21, 2), .next(21, 3)])
    }

    @Test("row 4: one changed cell of ten thousand is one keyed update")
    func row4() {
        let cells = (0..<10_000).map { Cell(id: $0, text: "cell \($0)") }
        let reactor = Sheet(cells)
        let changes = Locked<[KeyedListEvent<Cell>]>([])
        reactor.state.keyedChanges().subscribe(onNext: { event in changes.withLock { $0.append(event) } })
            .disposed(by: bag)
        reactor.action.onNext(Cell(id: 4_711, text: "new"))
        // An action that changes nothing publishes nothing.
        reactor.action.onNext(Cell(id: 4_711, text: "new"))
        let events = changes.withLock { $0 }
        #expect(events.count == 2)
        #expect(events.first == .snapshot(cells))
        guard case .changes(let last) = events.last else {
            Issue.record("no changes")
            return
        }
        #expect(last.steps == [.update(Cell(id: 4_711, text: "new"), at: 4_711)])
    }

    @Test("row 5: the published mutations lead to the same state, and a restored reactor goes on from it")
    func row5() {
        let mutations = Locked<[String]>([])
        let first = Probe(["initial"], state: { $0.map { $0.reversed() } })
        first.transitions.subscribe(onNext: { transition in mutations.withLock { $0.append(transition.mutation) } })
            .disposed(by: bag)
        for action in ["a", "b"] { first.action.onNext(action) }
        let second = Probe(["initial"])
        let replayed = mutations.withLock { $0 }.reduce(second.initialState) { second.reduce(state: $0, mutation: $1) }
        #expect(replayed == first.snapshot.state)
        second.restore(replayed, revision: 2)
        #expect(second.currentState == ["initial", "a", "b"])
        log.record("", second.transitions.map { "\($0.revision)\($0.mutation)" }).disposed(by: bag)
        second.action.onNext("c")
        #expect(second.currentState == ["initial", "a", "b", "c"])
        #expect(second.snapshot.revision == 3)
        #expect(second.initialState == ["initial"])
        #expect(log.text == "3c")
    }
}

private struct Cell: Identifiable, Equatable, Sendable {
    let id: Int
    var text: String
}

private final class Sheet: Reactor {
    typealias Action = Cell

    let initialState: KeyedList<Cell>
    let store = Store()

    init(_ cells: [Cell]) { initialState = KeyedList(cells) }

    func reduce(state: KeyedList<Cell>, mutation: Cell) -> KeyedList<Cell> {
        var state = state
        state[id: mutation.id] = mutation
        return state
    }
}

/// Adds up what it is sent, and what another stream has; reports when it is entered and left.
private final class Adder: Reactor {
    enum Action { case add(Int), addLater(Int) }
    enum Mutation { case add(Int) }
    struct State { var sum = 0 }

    let initialState = State()
    let store = Store()
    private let other: Observable<Int>
    private let check: @Sendable (Int) -> Void
    private let later = ConcurrentDispatchQueueScheduler(qos: .default)

    init(_ other: Observable<Int>, _ check: @escaping @Sendable (Int) -> Void) {
        self.other = other
        self.check = check
    }

    func mutate(action: Action) -> Observable<Mutation> {
        check(1)
        defer { check(-1) }
        switch action {
        case .add(let number): return .just(.add(number))
        case .addLater(let number): return Observable.just(.add(number)).observe(on: later)
        }
    }

    func transform(mutation: Observable<Mutation>) -> Observable<Mutation> {
        .merge(mutation, other.map { .add($0) })
    }

    func reduce(state: State, mutation: Mutation) -> State {
        check(1)
        defer { check(-1) }
        switch mutation {
        case .add(let number): return State(sum: state.sum + number)
        }
    }
}
