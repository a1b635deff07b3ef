import Rx
import RxReactor

/// The counter of ReactorKit's example, as it stands there.
final class CounterViewReactor: Reactor {
    enum Action {
        case increase
        case decrease
    }

    enum Mutation {
        case increaseValue
        case decreaseValue
        case setLoading(Bool)
        case setAlertMessage(String)
    }

    struct State {
        var value: Int
        var isLoading: Bool
        @Pulse var alertMessage: String?
    }

    let initialState: State

    init() {
        self.initialState = State(value: 0, isLoading: false)
    }

    func mutate(action: Action) -> Observable<Mutation> {
        switch action {
        case .increase:
            return Observable.concat([
                Observable.just(Mutation.setLoading(true)),
                Observable.just(Mutation.increaseValue),
                Observable.just(Mutation.setLoading(false)),
                Observable.just(Mutation.setAlertMessage("increased!")),
            ])
        case .decrease:
            return Observable.concat([
                Observable.just(Mutation.setLoading(true)),
                Observable.just(Mutation.decreaseValue),
                Observable.just(Mutation.setLoading(false)),
                Observable.just(Mutation.setAlertMessage("decreased!")),
            ])
        }
    }

    func reduce(state: State, mutation: Mutation) -> State {
        var state = state
        switch mutation {
        case .increaseValue: state.value += 1
        case .decreaseValue: state.value -= 1
        case let .setLoading(isLoading): state.isLoading = isLoading
        case let .setAlertMessage(message): state.alertMessage = message
        }
        return state
    }
}

/// Not final, without an initializer, with a state of references and a property that changes.
class ArticleListReactor: Reactor {
    enum Action {
        case refresh
        case select(Article)
    }

    enum Mutation {
        case setArticles([Article])
        case setSelected(Article?)
    }

    struct State {
        var articles: [Article] = []
        var selected: Article?
        var onSelect: (() -> Void)?
    }

    var initialState = State()
    var requests = 0
    let refreshes = PublishSubject<Void>()

    func transform(action: Observable<Action>) -> Observable<Action> {
        Observable.merge(action, refreshes.map { Action.refresh })
    }

    func mutate(action: Action) -> Observable<Mutation> {
        switch action {
        case .refresh:
            requests += 1
            return Observable.just([Article(id: requests, title: "new")])
                .do(onNext: { _ in self.requests += 1 })
                .map(Mutation.setArticles)
        case .select(let article):
            guard self.currentState.selected !== article else { return .empty() }
            return .just(.setSelected(article))
        }
    }

    func transform(mutation: Observable<Mutation>) -> Observable<Mutation> {
        mutation.do(onNext: { [weak self] _ in self?.requests += 10 })
    }

    func reduce(state: State, mutation: Mutation) -> State {
        var newState = state
        switch mutation {
        case .setArticles(let articles): newState.articles = articles
        case .setSelected(let article): newState.selected = article
        }
        return newState
    }

    func transform(state: Observable<State>) -> Observable<State> {
        state.do(onNext: { _ in })
    }
}

/// A subclass of a reactor.
final class CountedListReactor: ArticleListReactor {
    let limit: Int

    init(limit: Int) {
        self.limit = limit
        super.init()
    }

    override func mutate(action: Action) -> Observable<Mutation> {
        requests < limit ? super.mutate(action: action) : .empty()
    }
}

/// Without mutations, its turns on a scheduler, and starting in its own initializer, which therefore calls `super`.
final class TextReactor: Reactor {
    typealias Action = String

    struct State {
        var texts: [String] = []
    }

    let initialState: State
    let scheduler: Scheduler

    init(texts: [String] = [], scheduler: Scheduler = CurrentThreadScheduler.instance) {
        self.initialState = State(texts: texts)
        self.scheduler = scheduler
        super.init()
        _ = self.state
    }

    convenience init(text: String) {
        self.init(texts: [text])
    }

    func reduce(state: State, mutation: Mutation) -> State {
        State(texts: state.texts + [mutation])
    }
}

/// One with another base class keeps the line.
class ViewModel {
    let bag = DisposeBag()
}

final class FlagReactor: ViewModel, ReactorProtocol, @unchecked Sendable {
    enum Action { case toggle }
    let initialState = false
    let store = Store()

    func reduce(state: Bool, mutation: Action) -> Bool { !state }
}

// Reactors as a constraint, an associated type, and an existential.

protocol ReactorView: AnyObject {
    associatedtype Reactor: RxReactor.Reactor
    var disposeBag: DisposeBag { get set }
    var reactor: Reactor? { get }
    func bind(reactor: Reactor)
}

@MainActor
final class CounterScreen {
    var text = ""
    var alerts: [String] = []
    var disposeBag = DisposeBag()

    func bind(reactor: CounterViewReactor) {
        Observable.of(1, 2)
            .map { _ in Reactor.Action.increase }
            .bind(to: reactor.action)
            .disposed(by: disposeBag)
        reactor.state.map { $0.value }
            .distinctUntilChanged()
            .map { "\($0)" }
            .subscribe(onNext: { [weak self] in self?.text = $0 })
            .disposed(by: disposeBag)
        reactor.pulse(\.$alertMessage)
            .compactMap { $0 }
            .subscribe(onNext: { [weak self] message in self?.alerts.append(message) })
            .disposed(by: disposeBag)
    }

    typealias Reactor = CounterViewReactor
}

final class ArticleList: ReactorView {
    var disposeBag = DisposeBag()
    private(set) var shown: [[Article]] = []
    var reactor: ArticleListReactor? {
        didSet {
            disposeBag = DisposeBag()
            if let reactor { bind(reactor: reactor) }
        }
    }

    func bind(reactor: ArticleListReactor) {
        reactor.state.map(\.articles)
            .subscribe(onNext: { [weak self] in self?.shown.append($0) })
            .disposed(by: disposeBag)
    }
}

class Box<R: Reactor> {
    let reactor: R
    init(_ reactor: R) { self.reactor = reactor }
    func send(_ action: R.Action) -> R.State {
        reactor.action.onNext(action)
        return reactor.currentState
    }
}

extension ReactorProtocol {
    func sent(_ actions: Action...) -> State {
        for action in actions { self.action.onNext(action) }
        return currentState
    }
}

extension Reactive where Base: Reactor {
    var states: Observable<Base.State> { base.state }
}

@MainActor
func unchangedReactors() {
    let screen = CounterScreen()
    let counter = CounterViewReactor()
    screen.bind(reactor: counter)
    check(screen.text, "2")
    check(screen.alerts, ["increased!"])
    check(counter.sent(.decrease).value, 1)
    check(CounterViewReactor().currentState.value, 0)

    let list = ArticleList()
    let reactor = ArticleListReactor()
    list.reactor = reactor
    reactor.refreshes.onNext(())
    let article = Article(id: 5, title: "")
    let selected = Box(reactor).send(.select(article)).selected
    check(selected === article, true)
    check(reactor.requests, 22)
    check(list.shown.map { $0.map(\.id) }, [[], [1], [1]])
    check(CountedListReactor(limit: 0).sent(.refresh).articles.isEmpty, true)
    check(CountedListReactor(limit: 1).sent(.refresh, .refresh).articles.map(\.id), [1])

    check(TextReactor(text: "a").sent("b").texts, ["a", "b"])
    check(FlagReactor().sent(.toggle), true)
    var any: [Any] = []
    for reactor: any Reactor in [counter, TextReactor()] { any.append(reactor.initialState) }
    check(any.count, 2)
    expect(Reactive(TextReactor(text: "c")).states.map(\.texts).take(1), gives: [["c"]])

    stubbedReactor()
    releasedReactor()
}

private func stubbedReactor() {
    let reactor = CounterViewReactor()
    reactor.isStubEnabled = true
    reactor.action.onNext(.increase)
    reactor.stub.state.value = CounterViewReactor.State(value: 9, isLoading: true)
    check(reactor.stub.actions.count, 1)
    check(reactor.currentState.value, 9)
    reactor.isStubEnabled = false
    check(reactor.currentState.value, 0)
}

/// The store goes with the reactor: the streams complete, and work that is under way is disposed.
private func releasedReactor() {
    weak var gone: ArticleListReactor?
    var isCompleted = false
    let bag = DisposeBag()
    do {
        let reactor = ArticleListReactor()
        gone = reactor
        reactor.state.subscribe(onCompleted: { isCompleted = true }).disposed(by: bag)
        reactor.action.onNext(.refresh)
    }
    check(gone == nil, true)
    check(isCompleted, true)
}
