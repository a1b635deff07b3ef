import Dispatch
import Glibc
import Rx
import RxReactor
import RxTest
import Testing
import TestSupport

/// What users do to a reactor that nobody should.
@Suite("Reactors in bad company", .leakFree)
struct BadCompanyTests {
    private let log = Log()
    private let bag = DisposeBag()

    @Test(
        "of eight threads that have only its actions, none notices that the reactor goes; its states end in order"
    )
    func dropped() async {
        for round in 0..<20 {
            let held = Locked<Player?>(Player { _ in })
            let isGone: @Sendable () -> Bool
            let action: ActionSubject<Int>
            let watcher = Watcher<Int>()
            do {
                guard let reactor = held.withLock({ $0 }) else { return }
                isGone = { [weak reactor] in reactor == nil }
                action = reactor.action
                watcher.watch(reactor.state).disposed(by: bag)
            }
            await onThreads(9) { thread in
                if thread < 8 {
                    for _ in 0..<50 { action.onNext(0) }
                } else {
                    for _ in 0..<(round * 20) where watcher.all.count < 16 * round { sched_yield() }
                    let reactor = held.withLock { $0.take() }
                    withExtendedLifetime(reactor) {}
                }
            }
            #expect(await eventually { isGone() && watcher.completed == 1 })
            #expect(watcher.violations == 0)
            action.onNext(0)
        }
    }

    @Test("a reactor that its own subscriber lets go sends nothing after the end")
    func droppedWithin() {
        let held = Locked<Probe?>(Probe())
        let action: ActionSubject<String>
        do {
            guard let reactor = held.withLock({ $0 }) else { return }
            action = reactor.action
            log.record("1:", reactor.state.map(\.count)).disposed(by: bag)
            reactor.state.subscribe(onNext: { state in
                if state.count == 2 {
                    let reactor = held.withLock { $0.take() }
                    withExtendedLifetime(reactor) {}
                }
            }).disposed(by: bag)
            log.record("2:", reactor.state.map(\.count)).disposed(by: bag)
        }
        for text in ["a", "b", "c"] { action.onNext(text) }
        #expect(log.text == "1:0 2:0 1:1 2:1 1:2 2:2 1:| 2:|")
    }

    @Test("a reactor that goes within its own mutate, with nobody left who has it")
    func droppedWithinMutate() {
        let held = Locked<Probe?>(nil)
        let action: ActionSubject<String>
        do {
            let reactor = Probe(mutate: { _, text in
                held.withLock { $0 = nil }
                return .of(text, text)
            })
            action = reactor.action
            log.record("", reactor.state.map(\.count)).disposed(by: bag)
            held.withLock { $0 = reactor }
        }
        action.onNext("a")
        #expect(log.text == "0 |")
        action.onNext("b")
        #expect(log.text == "0 |")
    }

    @Test("a mutate that goes on when its reactor has gone meanwhile is disposed", arguments: [false, true])
    func droppedForGood(isReleased: Bool) {
        let held = Locked<Probe?>(nil)
        let action: ActionSubject<String>
        let disposed = Locked(0)
        do {
            let reactor = Probe(mutate: { reactor, _ in
                if isReleased { reactor.release() } else { held.withLock { $0 = nil } }
                return Observable.never().do(onDispose: { disposed.withLock { $0 += 1 } })
            })
            action = reactor.action
            held.withLock { $0 = reactor }
        }
        action.onNext("a")
        #expect(disposed.withLock { $0 } == 1)
        held.withLock { $0 = nil }
    }

    @Test("two reactors that send to each other, from both sides at once, neither lock up nor lose anything")
    func pingPong() async {
        let count = 500
        let others = Locked<[Player]>([])
        let players = (0..<2).map { index in
            Player { number in
                if number > 0 { others.withLock { $0[1 - index] }.action.onNext(number - 1) }
            }
        }
        others.withLock { $0 = players }
        await onThreads(4) { thread in
            for _ in 0..<count { players[thread % 2].action.onNext(3) }
        }
        #expect(await eventually { players.reduce(0) { $0 + $1.currentState } == 4 * 4 * count })
        others.withLock { $0 = [] }
    }

    @Test("who subscribes while eight threads send has each state from some one on, in order")
    func subscribing() async {
        let reactor = Player { _ in }
        let watchers = (0..<40).map { _ in Watcher<Int>() }
        await onThreads(8) { thread in
            if thread < 4 {
                for _ in 0..<500 { reactor.action.onNext(0) }
            } else {
                for watcher in watchers[(thread - 4) * 10..<(thread - 3) * 10] {
                    watcher.watch(reactor.state).disposed(by: bag)
                }
            }
        }
        #expect(await eventually { reactor.currentState == 2_000 })
        for watcher in watchers {
            #expect(await eventually { watcher.all.last == 2_000 })
            let all = watcher.all
            #expect(all == Array(all[0]...2_000))
            #expect(watcher.violations == 0)
        }
    }

    @Test("a mutate that sends from several threads at once, as none may, loses no mutation and breaks no other")
    func unruly() async {
        let outlet = Locked<AnyObserver<String>?>(nil)
        let reactor = Probe(mutate: { _, action in
            action == "a"
                ? .just(action)
                : .create { observer in
                    outlet.withLock { $0 = observer }
                    return Disposables.create { outlet.withLock { $0 = nil } }
                }
        })
        reactor.action.onNext("go")
        guard let observer = outlet.withLock({ $0 }) else {
            Issue.record("no mutate")
            return
        }
        await onThreads(8) { thread in
            for _ in 0..<100 { if thread < 7 { observer.onNext("b") } else { reactor.action.onNext("a") } }
        }
        #expect(await eventually { reactor.currentState.count == 800 })
        #expect(reactor.currentState.count { $0 == "a" } == 100)
        observer.onCompleted()
        observer.onNext("late")
        #expect(reactor.currentState.count == 800)
    }

    @Test("a scheduler of many threads takes the turns one at a time too")
    func concurrentScheduler() async {
        let inside = Locked(0), overlaps = Locked(0)
        let reactor = Probe(
            scheduler: ConcurrentDispatchQueueScheduler(qos: .default),
            reduce: { _, state, mutation in
                let now = inside.withLock { inside in
                    inside += 1
                    return inside
                }
                if now > 1 { overlaps.withLock { $0 += 1 } }
                defer { inside.withLock { $0 -= 1 } }
                return state + [mutation]
            })
        await onThreads(8) { _ in for _ in 0..<50 { reactor.action.onNext("a") } }
        #expect(await eventually { reactor.currentState.count == 400 })
        #expect(overlaps.withLock { $0 } == 0)
    }

    @Test("what comes up while the streams are made has its turns on the scheduler")
    func firstTurn() {
        let scheduler = TestScheduler(initialClock: 0)
        let held = Locked<Probe?>(nil)
        let reactor = Probe(
            scheduler: scheduler, action: { $0.startWith("at once") },
            mutation: { mutation in
                held.withLock { $0 }?.action.onNext("sent meanwhile")
                return mutation
            })
        held.withLock { $0 = reactor }
        reactor.action.onNext("later")
        #expect(reactor.text == "at once")
        scheduler.start()
        #expect(reactor.text == "at once sent meanwhile later")
        held.withLock { $0 = nil }
    }

    @Test("a reactor that sends to itself without an end leaves its scheduler to others in between")
    func fairness() async {
        let scheduler = SerialDispatchQueueScheduler(qos: .default)
        let busy = Busy(scheduler)
        _ = busy.state
        let state = await withCheckedContinuation { continuation in
            _ = scheduler.schedule(()) { _ in
                _ = scheduler.schedule(()) { _ in
                    continuation.resume(returning: busy.currentState)
                    return Disposables.create()
                }
                busy.action.onNext(Busy.end)
                return Disposables.create()
            }
        }
        #expect(state > 0 && state < Busy.end)
        #expect(await eventually { busy.currentState == Busy.end })
    }

    @MainActor
    @Test(
        "with the main scheduler, who is on the main queue has the next state at once"
    )
    func mainScheduler() async {
        let reactor = Probe(scheduler: MainScheduler.instance)
        reactor.action.onNext("a")
        #expect(reactor.text == "a")
        let texts = await withCheckedContinuation { continuation in
            _ = MainScheduler.instance.schedule(()) { _ in
                reactor.action.onNext("b")
                let first = reactor.text
                reactor.action.onNext("c")
                continuation.resume(returning: [first, reactor.text])
                return Disposables.create()
            }
        }
        #expect(texts == ["a b", "a b c"])
    }

    @Test("what is sent to a reactor on the main scheduler from elsewhere has its turn on the main queue")
    func mainSchedulerElsewhere() async {
        let wrong = Locked(0)
        let reactor = Probe(
            scheduler: MainScheduler.instance,
            reduce: { _, state, mutation in
                if !isOnMainQueue() { wrong.withLock { $0 += 1 } }
                return state + [mutation]
            })
        _ = reactor.state
        await onThreads(4) { _ in for _ in 0..<50 { reactor.action.onNext("a") } }
        #expect(await eventually { reactor.currentState.count == 200 })
        #expect(wrong.withLock { $0 } == 0)
    }

    @Test("an action from a subscriber of the errors waits for the turn that they come of")
    func errorsThatAct() {
        let reactor = Probe(mutate: { [log] _, action in
            log.write("enter-\(action)")
            return action == "bad"
                ? Observable.of("x").concat(Observable.error(Oops())).do(onDispose: { log.write("exit") })
                : .just(action)
        })
        reactor.errors.subscribe(onNext: { [unowned reactor] _ in reactor.action.onNext("b") }).disposed(by: bag)
        reactor.action.onNext("bad")
        #expect(log.text == "enter-bad exit enter-b")
        #expect(reactor.text == "x b")
    }

    @Test("ten thousand mutates that never end are disposed with their reactor, and a thousand reactors leave nothing")
    func many() {
        let disposed = Locked(0)
        do {
            let reactor = Probe(mutate: { _, _ in
                Observable.never().do(onDispose: { disposed.withLock { $0 += 1 } })
            })
            for _ in 0..<10_000 { reactor.action.onNext("a") }
            withExtendedLifetime(reactor) { #expect(disposed.withLock { $0 } == 0) }
        }
        #expect(disposed.withLock { $0 } == 10_000)
        let alive: @Sendable () -> Int
        do {
            let reactors = (0..<1_000).map { _ in Probe(mutation: { .merge($0, .never()) }) }
            for reactor in reactors { reactor.action.onNext("a") }
            let weak = reactors.map { reactor in { @Sendable [weak reactor] in reactor != nil } }
            alive = { weak.count { $0() } }
            withExtendedLifetime(reactors) { #expect(alive() == 1_000) }
        }
        #expect(alive() == 0)
    }

    @Test("who asked for the streams before the stub was enabled keeps the real ones, and they go on")
    func stubLater() {
        let reactor = Probe(["initial"])
        log.record("real:", reactor.state.map { $0.joined(separator: ",") }).disposed(by: bag)
        let action = reactor.action
        action.onNext("a")
        reactor.isStubEnabled = true
        // The stub begins with the state of that moment.
        #expect(reactor.currentState == ["initial", "a"])
        reactor.action.onNext("stubbed")
        action.onNext("b")
        #expect(reactor.currentState == ["initial", "a"])
        reactor.isStubEnabled = false
        #expect(reactor.currentState == ["initial", "a", "b"])
        #expect(log.text == "real:initial real:initial,a real:initial,a,b")
        #expect(reactor.stub.actions == ["stubbed"])
    }

    @Test("a transform of states that hands them to another scheduler moves currentState there, not what reduce gets")
    func statesElsewhere() {
        let scheduler = TestScheduler(initialClock: 0)
        let reactor = Probe(["initial"], state: { $0.observe(on: scheduler) })
        log.record("", reactor.state.map { $0.joined(separator: ",") }).disposed(by: bag)
        for text in ["a", "b"] { reactor.action.onNext(text) }
        #expect(log.all.isEmpty)
        #expect(reactor.snapshot.state == ["initial", "a", "b"])
        scheduler.start()
        #expect(log.text == "initial initial,a initial,a,b")
        #expect(reactor.text == "initial a b")
    }

    @Test("a mutation from within the delivery of the first state comes after that")
    func replayedWithin() {
        let held = Locked<Probe?>(nil)
        let reactor = Probe(
            ["initial"],
            state: { states in
                states.do(onNext: { state in
                    if state.count < 3 { held.withLock { $0 }?.replay("more") }
                })
            })
        held.withLock { $0 = reactor }
        log.record("", reactor.state.map { $0.joined(separator: ",") }).disposed(by: bag)
        #expect(reactor.text == "initial more more")
        #expect(log.text == "initial,more,more")
        held.withLock { $0 = nil }
    }

    @Test("of the states there were a reactor keeps the last, and none when it has gone", arguments: [false, true])
    func statesKept(isTransformed: Bool) {
        let alive = Locked(0)
        do {
            let reactor = Holder(alive, isTransformed: isTransformed)
            for _ in 0..<2 { reactor.restore(Holder.Thing(alive), revision: 7) }
            #expect(alive.withLock { $0 } == 2)
            for _ in 0..<100 { reactor.action.onNext(()) }
            #expect(reactor.snapshot.revision == 107)
            // That, and the initial one, which is the reactor's own property.
            #expect(alive.withLock { $0 } == 2)
            let unused = Holder(alive, isTransformed: isTransformed)
            unused.restore(Holder.Thing(alive), revision: 7)
            withExtendedLifetime((reactor, unused)) { #expect(alive.withLock { $0 } == 4) }
        }
        #expect(alive.withLock { $0 } == 0)
    }

    @Test("a reactor that takes no actions has its state, and one whose every part is left out leaves it as it is")
    func least() {
        final class Constant: Reactor {
            typealias Action = Never

            let initialState = 7
            let store = Store()
        }
        final class Idle: Reactor {
            enum Action { case go }
            enum Mutation { case change }

            let initialState = 1
            let store = Store()
        }
        let idle = Idle()
        log.record("", Constant().state).disposed(by: bag)
        log.record("idle:", idle.state).disposed(by: bag)
        idle.action.onNext(.go)
        #expect(log.text == "7 | idle:1")
    }
}

private func isOnMainQueue() -> Bool {
    let isMain = Locked(false)
    // Runs at once when it is there, else later.
    _ = ConcurrentMainScheduler.instance.schedule(()) { _ in
        isMain.withLock { $0 = true }
        return Disposables.create()
    }
    return isMain.withLock { $0 }
}

/// Counts up with each action, and hands it on.
private final class Player: Reactor {
    typealias Action = Int

    let initialState = 0
    let store = Store()
    private let next: @Sendable (Int) -> Void

    init(_ next: @escaping @Sendable (Int) -> Void) { self.next = next }

    func mutate(action: Int) -> Observable<Int> {
        next(action)
        return .just(action)
    }

    func reduce(state: Int, mutation: Int) -> Int { state + 1 }
}

/// Has a new object for its state with each action.
private final class Holder: Reactor {
    typealias Action = Void

    final class Thing: Sendable {
        let alive: Locked<Int>

        init(_ alive: Locked<Int>) {
            self.alive = alive
            alive.withLock { $0 += 1 }
        }

        deinit { alive.withLock { $0 -= 1 } }
    }

    let initialState: Thing
    let store = Store()
    private let isTransformed: Bool

    init(_ alive: Locked<Int>, isTransformed: Bool) {
        initialState = Thing(alive)
        self.isTransformed = isTransformed
    }

    func reduce(state: Thing, mutation: Void) -> Thing { Thing(state.alive) }
    func transform(state: Observable<Thing>) -> Observable<Thing> { isTransformed ? state.map { $0 } : state }
}

/// Each action sends the next, up to the end.
private final class Busy: Reactor {
    typealias Action = Int

    static let end = 2_000

    let initialState = 0
    let store = Store()
    let scheduler: any Scheduler

    init(_ scheduler: any Scheduler) { self.scheduler = scheduler }

    func mutate(action: Int) -> Observable<Int> {
        if action > 1 { self.action.onNext(action - 1) }
        return .just(action)
    }

    func reduce(state: Int, mutation: Int) -> Int { state + 1 }
}

/// Looks at how events come: one at a time, and nothing after the end.
private final class Watcher<Element: Sendable>: Sendable {
    private struct Seen {
        var elements: [Element] = []
        var completed = 0
        var violations = 0
        var isWithin = false
    }

    private let seen = Locked(Seen())

    var all: [Element] { seen.withLock { $0.elements } }
    var completed: Int { seen.withLock { $0.completed } }
    var violations: Int { seen.withLock { $0.violations } }

    func watch(_ observable: Observable<Element>) -> any Disposable {
        observable.subscribe { [seen] event in
            seen.withLock { seen in
                if seen.isWithin || seen.completed > 0 { seen.violations += 1 }
                seen.isWithin = true
                switch event {
                case .next(let element): seen.elements.append(element)
                case .error, .completed: seen.completed += 1
                }
            }
            sched_yield()
            seen.withLock { $0.isWithin = false }
        }
    }
}
