import Dispatch
import Glibc
import Rx
import RxTest
import Testing
import TestSupport

@testable import RxReactor

/// One test a line of what a program written for a reactor relies on, by the line's number. The tests of the other
/// suites go deeper.
@Suite("What a reactor promises, line by line", .leakFree)
struct ContractTests {
    private let log = Log()
    private let bag = DisposeBag()

    @Test("1: action, transform, mutate, transform, reduce, transform; the initial state is transformed too")
    func line1() {
        let reactor = Probe(
            ["initial"],
            action: { $0.flatMap { Observable.of($0, $0 + "-action") } },
            mutate: { _, action in .of(action + "-mutate") },
            mutation: { $0.map { $0 + "-mutation" } },
            reduce: { _, state, mutation in state + [mutation + "-reduce"] },
            state: { $0.map { $0 + ["state"] } })
        log.record("", reactor.state.map { $0.joined(separator: " ") }).disposed(by: bag)
        reactor.action.onNext("a")
        #expect(
            log.all == [
                "initial state",
                "initial a-mutate-mutation-reduce state",
                "initial a-mutate-mutation-reduce a-action-mutate-mutation-reduce state",
            ])
    }

    @Test("1: one action with one mutation gives exactly two states, the initial one included")
    func line1Count() {
        let light = Light()
        let states = Locked<[Light.State]>([])
        light.state.subscribe(onNext: { state in states.withLock { $0.append(state) } }).disposed(by: bag)
        light.action.onNext(.toggle)
        #expect(states.withLock { $0 } == [.init(), .init(isOn: true, count: 1)])
    }

    @Test("2: currentState is the transformed state, and is set before subscribers see it")
    func line2() {
        let reactor = Probe(state: { $0.map { $0 + ["!"] } })
        reactor.state.subscribe(onNext: { [log, unowned reactor] state in
            log.write("\(state.joined())=\(reactor.currentState.joined())")
        }).disposed(by: bag)
        reactor.action.onNext("a")
        #expect(log.text == "!=! a!=a!")
    }

    @Test("2: whoever races for the streams, they are made once")
    func line2Once() async {
        for _ in 0..<100 {
            let reactor = Raced(4)
            let objects = Locked<Set<ObjectIdentifier>>([])
            await onThreads(4) { index in
                let action = reactor.action, state = reactor.state
                objects.withLock { $0.formUnion([ObjectIdentifier(action), ObjectIdentifier(state)]) }
                action.onNext(index)
            }
            #expect(reactor.made.withLock { $0 } == 3)
            #expect(objects.withLock { $0.count } == 2)
            #expect(await eventually { reactor.currentState.count == 4 })
        }
    }

    @Test("2: actions are processed with nobody subscribed")
    func line2Nobody() {
        let light = Light()
        light.action.onNext(.toggle)
        #expect(light.currentState.isOn)
    }

    @Test("3: each of several deferred mutations sees what the one before has led to")
    func line3() {
        let reactor = Probe(mutate: { reactor, _ in
            let step = Observable<String>.deferred { .just("\(reactor.currentState.count)") }
            return .concat([step, step, step])
        })
        reactor.action.onNext("go")
        #expect(reactor.text == "0 1 2")
    }

    @Test("4: state is hot and replays the latest")
    func line4() {
        let reactor = Probe()
        reactor.action.onNext("a")
        log.record("1:", reactor.state.map(\.count)).disposed(by: bag)
        reactor.action.onNext("b")
        log.record("2:", reactor.state.map(\.count)).disposed(by: bag)
        reactor.action.onNext("c")
        #expect(log.text == "1:1 1:2 2:2 1:3 2:3")
    }

    @Test("5: errors and completions sent to action are ignored")
    func line5() {
        let reactor = Probe()
        reactor.action.onError(Oops())
        reactor.action.onNext("a")
        reactor.action.onCompleted()
        reactor.action.on(.completed)
        reactor.action.on(.next("b"))
        #expect(reactor.text == "a b")
        // Subscribers to the actions are not notified of them either.
        log.record("", reactor.action.asObservable()).disposed(by: bag)
        reactor.action.onError(Oops())
        reactor.action.on(.error(Oops()))
        reactor.action.onCompleted()
        reactor.action.on(.completed)
        reactor.action.onNext("c")
        #expect(log.text == "c")
        #expect(reactor.text == "a b c")
    }

    @Test("5: an error of mutate keeps the mutations before it; its completion ends nothing else")
    func line5Mutate() {
        let reactor = Probe(mutate: { _, action in
            action == "bad" ? Observable.of("x", "y").concat(Observable.error(Oops())) : .just(action)
        })
        let errors = log.record("", reactor.errors)
        for action in ["a", "bad", "b"] { reactor.action.onNext(action) }
        #expect(reactor.text == "a x y b")
        #expect(log.text == "mutate(oops)")
        errors.dispose()
    }

    @Test("6: take(until: action) within mutate cancels that mutate")
    func line6() {
        let scheduler = TestScheduler(initialClock: 0)
        let reactor = Probe(mutate: { reactor, action in
            action == "stop"
                ? .just("stopped")
                : Observable<Int>.interval(.seconds(10), scheduler: scheduler).map { "\(action)\($0)" }
                    .take(until: reactor.action.filter { $0 == "stop" || $0 == action })
        })
        let action = reactor.action
        for (time, text) in [(5, "a"), (27, "a"), (50, "stop"), (90, "stop")] {
            scheduler.scheduleAt(time) { action.onNext(text) }
        }
        scheduler.start()
        // The second of its kind cancels the first, and not itself.
        #expect(reactor.text == "a0 a1 a0 a1 stopped stopped")
        #expect(!action.hasObservers)
    }

    @Test("7: a stub records actions and shows states; nothing reaches mutate or reduce")
    func line7() {
        let reactor = Probe(
            ["initial"],
            mutate: { [log] _, _ in
                log.write("mutate")
                return .just("x")
            },
            mutation: { [log] mutation in
                log.write("transform")
                return mutation
            },
            reduce: { [log] _, state, _ in
                log.write("reduce")
                return state
            })
        reactor.isStubEnabled = true
        log.record("", reactor.state.map { $0.joined() }).disposed(by: bag)
        let actions = reactor.action.subscribe(onNext: { [log] in log.write("action-\($0)") })
        reactor.action.onNext("a")
        reactor.stub.action.onNext("b")
        reactor.stub.state.value = ["set"]
        #expect(reactor.currentState == ["set"])
        #expect(reactor.stub.actions == ["a", "b"])
        #expect(log.text == "initial action-a action-b set")
        actions.dispose()
        reactor.isStubEnabled = false
        #expect(reactor.currentState == ["initial"])
        reactor.action.onNext("c")
        #expect(reactor.stub.actions == ["a", "b"])
        #expect(log.text == "initial action-a action-b set transform mutate reduce")
    }

    @Test("7: a stub made from a reactor is its stub, and records until its bag is disposed")
    func madeStub() {
        let reactor = Probe(["initial"])
        var bag: DisposeBag? = DisposeBag()
        let stub = Stub(reactor: reactor, disposeBag: bag)
        #expect(stub.state.value == ["initial"])
        stub.state.value = ["set"]
        #expect(reactor.currentState == ["initial"])
        reactor.isStubEnabled = true
        #expect(reactor.currentState == ["set"])
        reactor.action.onNext("a")
        stub.action.onNext("b")
        #expect(stub.actions == ["a", "b"])
        #expect(reactor.stub.actions == ["a", "b"])
        bag = nil
        reactor.action.onNext("c")
        #expect(stub.actions == ["a", "b"])
        let next: Stub<Probe> = Stub(reactor: reactor)
        #expect(reactor.currentState == ["initial"])
        reactor.action.onNext("d")
        #expect(next.actions == ["d"])
        #expect(stub.actions == ["a", "b"])
    }

    @Test("8: an action subject sends next only, and its observers are counted until they are disposed")
    func line8() {
        let subject = ActionSubject<Int>()
        let first = log.record("1:", subject), second = log.record("2:", subject.take(1))
        #expect(subject.observerCount == 2)
        subject.onNext(1)
        #expect(subject.observerCount == 1)
        subject.onError(Oops())
        subject.on(.error(Oops()))
        subject.onCompleted()
        subject.on(.completed)
        subject.on(.next(2))
        first.dispose()
        first.dispose()
        second.dispose()
        #expect(subject.observerCount == 0 && !subject.hasObservers)
        subject.onNext(3)
        #expect(log.text == "1:1 2:1 2:| 1:2")
    }

    @Test("8: a state relay has a value and sends equal ones too; it neither fails nor completes")
    func line8Relay() {
        let weakRelay: @Sendable () -> StateRelay<Int>?
        do {
            let relay = StateRelay(value: 1)
            weakRelay = { [weak relay] in relay }
            log.record("", relay.asObservable()).disposed(by: bag)
            for value in [2, 2] { relay.accept(value) }
            relay.value = 2
            #expect(relay.value == 2)
        }
        #expect(weakRelay() == nil)
        #expect(log.text == "1 2 2 2")
    }

    @Test("9: a pulse counts its assignments from 0, equal ones too, and starts over after the greatest")
    func line9Count() {
        struct State { @Pulse var alert: String? }
        var state = State()
        #expect(state.$alert.valueUpdatedCount == 0)
        state.alert = nil
        state.alert = "a"
        state.alert = "a"
        #expect(state.$alert.valueUpdatedCount == 3)
        var pulse = Pulse(wrappedValue: 1)
        pulse.valueUpdatedCount = .max
        pulse.value = 1
        #expect(pulse.valueUpdatedCount == 0)
    }

    @Test("9: pulse sends the initial value, then assignments of that property only")
    func line9() {
        let alarm = Alarm()
        log.record("", alarm.pulse(\.$alert).map { $0 ?? "-" }).disposed(by: bag)
        #expect(log.text == "-")
        for action: Alarm.Action in [.count, .alert("a"), .count, .alert("a"), .alert(nil), .count] {
            alarm.action.onNext(action)
        }
        #expect(log.text == "- a a -")
        #expect(alarm.currentState.count == 3)
    }

    @Test("10: an action from a state subscriber waits for the mutations of the one under way")
    func line10() {
        let reactor = Probe(mutate: { [log] reactor, action in
            Observable.create { observer in
                log.write("enter-\(action)")
                observer.onNext(action + "1")
                observer.onNext(action + "2")
                log.write("exit-\(action)")
                observer.onCompleted()
                return Disposables.create()
            }
        })
        reactor.state.subscribe(onNext: { [unowned reactor] state in
            if state.last == "A1" { reactor.action.onNext("B") }
        }).disposed(by: bag)
        reactor.action.onNext("A")
        #expect(log.text == "enter-A exit-A enter-B exit-B")
        #expect(reactor.text == "A1 A2 B1 B2")
    }

    @Test("10: an action from reduce waits too, also of one that is made by others")
    func line10Reduce() {
        let reactor = Probe(
            mutate: { [log] _, action in
                log.write("enter-\(action)")
                // Made on the current thread: it would wait for what runs there.
                return Observable.of(action + "1", action + "2").do(onCompleted: { log.write("exit-\(action)") })
            },
            reduce: { reactor, state, mutation in
                if mutation == "A1" { reactor.action.onNext("B") }
                return state + [mutation]
            })
        // Within a sequence of the current thread as well.
        Observable.of("A", "C").subscribe(onNext: { reactor.action.onNext($0) }).disposed(by: bag)
        #expect(log.text == "enter-A exit-A enter-B exit-B enter-C exit-C")
        #expect(reactor.text == "A1 A2 B1 B2 C1 C2")
    }

    @Test("11: when the reactor goes, its action subject and state observable go, and what is under way is disposed")
    func line11() {
        let work = PublishSubject<String>()
        let gone: @Sendable () -> [Bool]
        do {
            let reactor = Probe(mutate: { _, _ in work }, mutation: { .merge($0, work) })
            let action = reactor.action, state = reactor.state
            gone = { [weak reactor, weak action, weak state] in [reactor == nil, action == nil, state == nil] }
            log.record("", state.map(\.count)).disposed(by: bag)
            log.record("error:", reactor.errors).disposed(by: bag)
            action.onNext("a")
            withExtendedLifetime(reactor) { #expect(work.hasObservers) }
        }
        #expect(gone() == [true, true, true])
        #expect(!work.hasObservers)
        #expect(log.text == "0 | error:|")
    }

    @Test("12: identities")
    func line12() {
        final class Same: IdentityEquatable {}
        final class Hashed: IdentityHashable {}
        let one = Same(), other = Same()
        #expect(one == one && one != other)
        let two = Hashed()
        #expect(Set([two, two, Hashed()]).count == 2)
    }
}

/// A reactor whose streams as many threads ask for at the same time: none goes on before all have found them not made.
private final class Raced: Reactor {
    typealias Action = Int

    let initialState = [Int]()
    let store = Store()
    /// How many transforms it was asked for.
    let made = Locked(0)
    private let threads = Locked<Set<UInt>>([])
    private let barrier: Barrier

    init(_ count: Int) { barrier = Barrier(count) }

    // Asked for by each that is about to make the streams.
    var scheduler: any Scheduler {
        let thread = UInt(pthread_self())
        if threads.withLock({ $0.insert(thread).inserted }) { barrier.wait() }
        return CurrentThreadScheduler.instance
    }

    private func count<Element>(_ observable: Observable<Element>) -> Observable<Element> {
        made.withLock { $0 += 1 }
        return observable
    }

    func transform(action: Observable<Int>) -> Observable<Int> { count(action) }
    func transform(mutation: Observable<Int>) -> Observable<Int> { count(mutation) }
    func transform(state: Observable<[Int]>) -> Observable<[Int]> { count(state) }
    func reduce(state: [Int], mutation: Int) -> [Int] { state + [mutation] }
}

/// A reactor with a pulse.
private final class Alarm: Reactor {
    enum Action { case alert(String?), count }
    struct State {
        @Pulse var alert: String?
        var count = 0
    }

    let initialState = State()
    let store = Store()

    func reduce(state: State, mutation: Action) -> State {
        var state = state
        switch mutation {
        case .alert(let text): state.alert = text
        case .count: state.count += 1
        }
        return state
    }
}
