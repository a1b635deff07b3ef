import Foundation
import Rx
import RxBlocking
import RxTest

class SearchViewModel {
    struct Input {
        let query: Observable<String>
        let reload: Observable<Void>
    }

    struct Output {
        let titles: Observable<[String]>
        let isLoading: Observable<Bool>
        let failure: Observable<Error>
    }

    private let service: SearchService
    private let disposeBag = DisposeBag()
    private let isLoading = BehaviorRelay<Bool>(value: false)
    private let failure = PublishRelay<Error>()
    private(set) var searches = 0

    init(service: SearchService) {
        self.service = service
    }

    func transform(_ input: Input) -> Output {
        let query = input.query
            .filter { !$0.isEmpty }
            .distinctUntilChanged()
            .share(replay: 1, scope: .whileConnected)

        let titles = Observable.combineLatest(query, input.reload.startWith(()))
            .do(onNext: { _ in
                self.searches += 1
                self.isLoading.accept(true)
            })
            .flatMapLatest { [weak self] (query, _) -> Observable<[Document]> in
                guard let self = self else { return .empty() }
                return self.service.search(query)
                    .catch { error in
                        self.failure.accept(error)
                        return .just([])
                    }
            }
            .do(onNext: { [weak self] _ in self?.isLoading.accept(false) })
            .map { $0.map { $0.title } }

        return Output(titles: titles, isLoading: isLoading.asObservable(), failure: failure.asObservable())
    }
}

protocol SearchService {
    func search(_ query: String) -> Observable<[Document]>
}

class LocalService: SearchService {
    private var cache: [String: [Document]] = [:]

    func search(_ query: String) -> Observable<[Document]> {
        Observable.create { [weak self] observer -> Disposable in
            guard let self = self else {
                observer.onCompleted()
                return Disposables.create()
            }
            if query == "bad" {
                observer.onError(Failure.two)
            } else {
                let documents = self.cache[query] ?? [Document(title: query)]
                self.cache[query] = documents
                observer.onNext(documents)
                observer.onCompleted()
            }
            return Disposables.create()
        }
    }
}

class SearchController {
    let disposeBag = DisposeBag()
    var titles: [[String]] = []
    var failures: [Error] = []
    lazy var viewModel = SearchViewModel(service: LocalService())
    let query = PublishSubject<String>()
    let reload = PublishSubject<Void>()

    func bind() {
        let output = viewModel.transform(.init(query: query, reload: reload.asObservable()))
        output.titles
            .subscribe(onNext: { [unowned self] titles in
                self.titles.append(titles)
            })
            .disposed(by: disposeBag)
        output.failure
            .subscribe(onNext: { [weak self] in self?.failures.append($0) })
            .disposed(by: disposeBag)
        output.isLoading.subscribe(
            with: self,
            onNext: { controller, isLoading in
                if isLoading { controller.titles.append([]) }
            }
        )
        .disposed(by: disposeBag)
    }
}

func viewModels() {
    let controller = SearchController()
    controller.bind()
    controller.query.onNext("")
    controller.query.onNext("swift")
    controller.query.onNext("swift")
    controller.query.onNext("bad")
    controller.reload.onNext(())
    check(controller.titles, [[], ["swift"], [], [], [], []])
    check(controller.failures.count, 2)
    check(controller.viewModel.searches, 3)
}

/// A store, generic over whatever its user has.
class Store<State, Action> {
    private let relay: BehaviorRelay<State>
    private let actions = PublishSubject<Action>()
    private let disposeBag = DisposeBag()
    let state: Observable<State>
    var current: State { relay.value }

    init(initial: State, reducer: @escaping (State, Action) -> State) {
        relay = BehaviorRelay(value: initial)
        state = relay.asObservable()
        actions
            .withLatestFrom(relay) { ($0, $1) }
            .map { action, state in reducer(state, action) }
            .bind(to: relay)
            .disposed(by: disposeBag)
    }

    func send(_ action: Action) {
        actions.onNext(action)
    }

    func select<Value: Equatable>(_ selector: @escaping (State) -> Value) -> Observable<Value> {
        state.map(selector).distinctUntilChanged()
    }
}

func stores() {
    enum Action {
        case add(Int)
        case reset
    }
    let store = Store<Int, Action>(initial: 0) { state, action in
        switch action {
        case .add(let number): return state + number
        case .reset: return 0
        }
    }
    var states: [Int] = []
    let disposeBag = DisposeBag()
    store.select { $0 }.subscribe(onNext: { states.append($0) }).disposed(by: disposeBag)
    store.send(.add(1))
    store.send(.add(2))
    store.send(.add(0))
    store.send(.reset)
    check(states, [0, 1, 3, 0])
    check(store.current, 0)
}

typealias Completion = (Result<Document, Error>) -> Void

/// A client with callbacks, wrapped into traits.
class Loader {
    var requests = 0

    func load(_ title: String, completion: @escaping Completion) {
        requests += 1
        DispatchQueue.global().async {
            completion(title.isEmpty ? .failure(Failure.one) : .success(Document(title: title)))
        }
    }
}

extension Loader {
    func load(_ title: String) -> Single<Document> {
        Single.create { single in
            self.load(title) { result in
                switch result {
                case .success(let document): single(.success(document))
                case .failure(let error): single(.failure(error))
                }
            }
            return Disposables.create()
        }
    }

    func save(_ document: Document) -> Completable {
        Completable.create { [weak self] completable in
            self?.requests += 1
            completable(.completed)
            return Disposables.create {}
        }
    }
}

func services() {
    let loader = Loader()
    let documents = try? Observable.of("a", "b")
        .concatMap { title in loader.load(title) }
        .flatMap { document in loader.save(document).andThen(Observable.just(document)) }
        .observe(on: SerialDispatchQueueScheduler(qos: .userInitiated))
        .toBlocking(timeout: 30)
        .toArray()
    check(documents?.map { $0.title }, ["a", "b"])
    check(loader.requests, 4)

    let failed = loader.load("").asObservable().materialize().toBlocking(timeout: 30)
    check(try? failed.first()?.error as? Failure, .one)
    var values: [Int] = []
    let finished = DispatchSemaphore(value: 0)
    let subscription = Observable<Int>.interval(
        .milliseconds(1), scheduler: ConcurrentDispatchQueueScheduler(qos: .utility)
    )
    .take(3)
    .subscribe(onNext: { values.append($0) }, onCompleted: { finished.signal() })
    check(finished.wait(timeout: .now() + 30) == .success, true)
    subscription.dispose()
    check(values, [0, 1, 2])
}
