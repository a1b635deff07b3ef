import Dispatch
import Rx
import RxReactor
import RxTest

/// A counter as it stands in every introduction: mutations of its own, some of them later.
private final class CounterReactor: Reactor {
    enum Action {
        case increase
        case decrease
        case load(Int)
        case cancel
        case fail
    }

    enum Mutation {
        case add(Int)
        case setLoading(Bool)
        case say(String?)
    }

    struct State {
        var value = 0
        var isLoading = false
        @Pulse var alert: String?
    }

    let initialState: State
    let store = Store()
    private let time: any SchedulerType

    init(value: Int = 0, time: any SchedulerType = MainScheduler.instance) {
        initialState = State(value: value)
        self.time = time
        defer { _ = self.state }
    }

    func mutate(action: Action) -> Observable<Mutation> {
        switch action {
        case .increase:
            return Observable.just(Mutation.add(1))
        case .decrease:
            return .just(.add(-1))
        case .load(let number):
            guard !self.currentState.isLoading else { return .empty() }
            return Observable.concat([
                Observable.just(Mutation.setLoading(true)),
                Observable<Int>.timer(.seconds(10), scheduler: time)
                    .map { _ in number }
                    .take(
                        until: self.action.filter { action in
                            if case .cancel = action { return true }
                            return false
                        }
                    )
                    .flatMap { [weak self] number -> Observable<Mutation> in
                        self == nil ? .empty() : .of(.add(number), .say("loaded"))
                    },
                Observable.just(Mutation.setLoading(false)),
            ])
        case .cancel:
            return .empty()
        case .fail:
            return Observable.of(.say("failing")).concat(Observable.error(Failure.one))
        }
    }

    func reduce(state: State, mutation: Mutation) -> State {
        var newState = state
        switch mutation {
        case let .add(number):
            newState.value += number
        case let .setLoading(isLoading):
            newState.isLoading = isLoading
        case let .say(text):
            newState.alert = text
        }
        return newState
    }
}

/// Without mutations of its own, and with an object for its identity.
private final class NameReactor: Reactor, IdentityHashable {
    typealias Action = String
    typealias State = [String]

    let initialState: State = []
    let store = Store()

    func reduce(state: State, mutation: Mutation) -> State { state + [mutation] }
}

/// Takes no actions: a value that is shown.
private final class ConstantReactor: Reactor {
    typealias Action = Never

    struct State: Equatable { var text: String }

    let initialState: State
    let store = Store()

    init(_ text: String) { initialState = State(text: text) }
}

/// All that may be written, its turns on a scheduler.
private final class EveryPartReactor: Reactor, IdentityEquatable {
    typealias Action = Int
    typealias Mutation = String
    typealias State = String

    let initialState = ""
    let store = Store()
    let scheduler: any Scheduler
    private let others: Observable<String>

    init(_ others: Observable<String>, scheduler: any Scheduler = CurrentThreadScheduler.instance) {
        self.others = others
        self.scheduler = scheduler
    }
}

// What a reactor does may be written apart from it.
extension EveryPartReactor {
    func transform(action: Observable<Action>) -> Observable<Action> { action.startWith(0) }
    func mutate(action: Action) -> Observable<Mutation> { Observable.from([action, action]).map { "\($0)" } }
    func transform(mutation: Observable<Mutation>) -> Observable<Mutation> { Observable.of(mutation, others).merge() }
    func reduce(state: State, mutation: Mutation) -> State { state + mutation }
    func transform(state: Observable<State>) -> Observable<State> { state.map { "(\($0))" }.do(onNext: { _ in }) }
}

private func state<R: Reactor>(of reactor: R, after actions: [R.Action]) -> R.State {
    for action in actions { reactor.action.onNext(action) }
    return reactor.currentState
}

/// Reactors as their users write them.
func reactors() {
    counting()
    loading()
    pulses()
    parts()
    stubs()
    reactorSubjects()
    keyedLists()
}

private func counting() {
    let bag = DisposeBag()
    let reactor = CounterReactor(value: 5)
    let values = Log<Int>(), errors = Log<String>()
    let label = BehaviorRelay(value: "")
    reactor.state.map { $0.value }.distinctUntilChanged().subscribe(onNext: { values.append($0) }).disposed(by: bag)
    reactor.state.map(\.value).distinctUntilChanged().map { "\($0)" }.bind(to: label).disposed(by: bag)
    reactor.errors.subscribe(onNext: { errors.append("\($0.underlyingError)") }).disposed(by: bag)
    reactor.action.onNext(.increase)
    Observable.just(CounterReactor.Action.increase).bind(to: reactor.action).disposed(by: bag)
    Observable.of(1, 2).map { _ in .decrease }.subscribe(reactor.action).disposed(by: bag)
    reactor.action.on(.next(.decrease))
    reactor.action.onError(Failure.two)
    reactor.action.onCompleted()
    AnyObserver(reactor.action).onNext(.fail)
    reactor.action.mapObserver { (_: Int) in .increase }.onNext(1)
    check(values.entries, [5, 6, 7, 6, 5, 4, 5])
    check(label.value, "5")
    check(errors.entries, ["one"])
    check(state(of: reactor, after: [.increase, .increase]).value, 7)
    check(state(of: NameReactor(), after: ["a", "b"]), ["a", "b"])
    check(ConstantReactor("constant").currentState.text, "constant")
    expect(ConstantReactor("constant").state.map(\.text).take(1), gives: ["constant"])
}

private func loading() {
    let scheduler = TestScheduler(initialClock: 0)
    let reactor = CounterReactor(time: scheduler)
    let isLoading = scheduler.createObserver(Bool.self)
    let bag = DisposeBag()
    reactor.state.map(\.isLoading).distinctUntilChanged().subscribe(isLoading).disposed(by: bag)
    scheduler.createHotObservable([
        .next(5, CounterReactor.Action.load(3)), .next(8, .load(4)), .next(20, .load(5)), .next(22, .cancel),
    ]).bind(to: reactor.action).disposed(by: bag)
    scheduler.start()
    check(isLoading.events, [.next(0, false), .next(5, true), .next(15, false), .next(20, true), .next(22, false)])
    check(reactor.currentState.value, 3)
    check(reactor.currentState.alert, "loaded")
}

private func pulses() {
    let bag = DisposeBag()
    let reactor = CounterReactor()
    let alerts = Log<String>()
    reactor.pulse(\.$alert).compactMap { $0 }.subscribe(onNext: { alerts.append($0) }).disposed(by: bag)
    reactor.pulse { $0.$alert }.skip(1).map { $0 ?? "-" }.subscribe(onNext: { alerts.append($0) }).disposed(by: bag)
    reactor.errors.subscribe().disposed(by: bag)
    for action: CounterReactor.Action in [.fail, .increase, .fail] { reactor.action.onNext(action) }
    check(alerts.entries, ["failing", "failing", "failing", "failing"])
    check(reactor.currentState.$alert.valueUpdatedCount, 2)
    var pulse = Pulse(wrappedValue: 1)
    pulse.value += 1
    pulse.wrappedValue += 1
    check(pulse.projectedValue.value, 3)
    check(pulse.valueUpdatedCount, 2)
}

private func parts() {
    let others = PublishSubject<String>()
    let reactor = EveryPartReactor(others)
    check(reactor.currentState, "")
    _ = reactor.state
    reactor.action.onNext(1)
    others.onNext("!")
    check(reactor.currentState, "(0011!)")
    check(reactor == reactor, true)
    check(reactor == EveryPartReactor(others), false)
    let scheduler = TestScheduler(initialClock: 0)
    let late = EveryPartReactor(.never(), scheduler: scheduler)
    scheduler.scheduleAt(10) { late.action.onNext(1) }
    scheduler.start()
    check(late.currentState, "(0011)")
    let names = NameReactor()
    check(Set([names, names, NameReactor()]).count, 2)
}

private func stubs() {
    let reactor = NameReactor()
    reactor.isStubEnabled = true
    let states = Log<[String]>()
    let subscription = reactor.state.subscribe(onNext: { states.append($0) })
    reactor.action.onNext("a")
    reactor.stub.action.onNext("b")
    reactor.stub.state.value = ["shown"]
    reactor.stub.state.accept(["shown", "too"])
    check(reactor.stub.actions.last, "b")
    check(reactor.stub.actions, ["a", "b"])
    check(reactor.currentState, ["shown", "too"])
    check(states.entries, [[], ["shown"], ["shown", "too"]])
    check(reactor.isStubEnabled, true)
    subscription.dispose()
}

private func reactorSubjects() {
    let subject = ActionSubject<Int>()
    let relay = StateRelay(value: 0)
    let bag = DisposeBag()
    let seen = Log<Int>()
    subject.asObservable().subscribe(onNext: { relay.accept($0) }).disposed(by: bag)
    relay.subscribe(onNext: { seen.append($0) }).disposed(by: bag)
    relay.asObservable().map { -$0 }.subscribe(onNext: { seen.append($0) }).disposed(by: bag)
    subject.onNext(1)
    subject.asObserver().onNext(1)
    subject.onError(Failure.one)
    subject.onCompleted()
    subject.on(.next(2))
    check(seen.entries, [0, 0, 1, -1, 1, -1, 2, -2])
    check(relay.value, 2)
    check(subject.observerCount, 1)
    check(subject.hasObservers, true)
}

private struct Row: Identifiable, Equatable {
    let id: Int
    var text = ""
}

private func keyedLists() {
    let lists = PublishSubject<[Row]>()
    let steps = Log<[KeyedChanges<Row>.Step]>()
    let subscription = lists.keyedChanges().subscribe(onNext: { event in
        switch event {
        case .snapshot(let rows): steps.append(rows.enumerated().map { .insert($1, at: $0) })
        case .changes(let changes): steps.append(changes.steps)
        }
    })
    var rows = [Row(id: 1), Row(id: 2)]
    lists.onNext(rows)
    rows[0].text = "one"
    rows.append(Row(id: 3))
    lists.onNext(rows)
    subscription.dispose()
    check(
        steps.entries,
        [
            [.insert(Row(id: 1), at: 0), .insert(Row(id: 2), at: 1)],
            [.insert(Row(id: 3), at: 2), .update(Row(id: 1, text: "one"), at: 0)],
        ])
    var list = KeyedList(rows)
    list[id: 3] = nil
    list.move(id: 2, to: 0)
    list.update(id: 2) { $0.text = "two" }
    var patched = rows
    KeyedChanges(from: KeyedList(rows), to: list).apply(to: &patched)
    check(patched, Array(list))
    check(patched, [Row(id: 2, text: "two"), Row(id: 1, text: "one")])
}
