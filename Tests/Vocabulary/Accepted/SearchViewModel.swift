import Foundation
import Rx
import RxTest
import RxTraits

protocol ViewModelType {
    associatedtype Input
    associatedtype Output
    func transform(_ input: Input) -> Output
}

protocol SearchAPI {
    func search(_ query: String, page: Int) -> Single<[Article]>
}

class LocalSearchAPI: SearchAPI {
    var requests = 0

    func search(_ query: String, page: Int) -> Single<[Article]> {
        requests += 1
        return query == "bad" ? .error(Failure.one) : .just([Article(id: page, title: query)])
    }
}

/// Inputs to outputs, with state on the side, and nothing that is `Sendable`.
final class SearchModel: ViewModelType {
    struct Input {
        let query: Observable<String>
        let nextPage: Observable<Void>
        let selection: Observable<Article>
    }

    struct Output {
        let articles: Driver<[Article]>
        let isLoading: Driver<Bool>
        let error: Signal<Error>
        let selected: Observable<Article>
    }

    private let api: SearchAPI
    private let disposeBag = DisposeBag()
    private var page = 0
    private(set) var selections: [Article] = []

    init(api: SearchAPI) {
        self.api = api
    }

    func transform(_ input: Input) -> Output {
        let isLoading = BehaviorRelay(value: false)
        let errors = PublishRelay<Error>()
        let query = input.query
            .debounce(.milliseconds(300), scheduler: TestTimes.scheduler)
            .distinctUntilChanged()
            .do(onNext: { _ in self.page = 0 })
        let pages = input.nextPage.map { self.page += 1 }.startWith(())

        let articles = Observable.combineLatest(query, pages)
            .do(onNext: { _ in isLoading.accept(true) })
            .flatMapLatest { [unowned self] query, _ in
                self.api.search(query, page: self.page)
                    .asObservable()
                    .catch { error in
                        errors.accept(error)
                        return .just([])
                    }
            }
            .do(onNext: { _ in isLoading.accept(false) })
            .scan([Article]()) { all, new in all + new }
            .asDriver(onErrorJustReturn: [])

        input.selection
            .withLatestFrom(query) { ($0, $1) }
            .subscribe(onNext: { article, query in
                article.title = query + "!"
                self.selections.append(article)
            })
            .disposed(by: disposeBag)

        return Output(
            articles: articles, isLoading: isLoading.asDriver(), error: errors.asSignal(),
            selected: input.selection.share(replay: 1))
    }
}

/// The scheduler of these programs, set before anything else uses it.
enum TestTimes {
    static let scheduler = TestScheduler(initialClock: 0)
}

@MainActor
func searchModel() {
    let scheduler = TestTimes.scheduler
    SharingScheduler.mock(scheduler: scheduler) {
        let api = LocalSearchAPI()
        let model = SearchModel(api: api)
        let bag = DisposeBag()
        let selection = PublishSubject<Article>()
        let output = model.transform(
            SearchModel.Input(
                query: scheduler.createHotObservable([.next(2, "rx"), .next(10, "bad")]).asObservable(),
                nextPage: scheduler.createHotObservable([.next(5, ())]).asObservable(),
                selection: selection))
        var shown: [[Int]] = []
        var failures: [Error] = []
        var loading: [Bool] = []
        output.articles.drive(onNext: { shown.append($0.map(\.id)) }).disposed(by: bag)
        output.error.emit(onNext: { failures.append($0) }).disposed(by: bag)
        output.isLoading.drive(onNext: { loading.append($0) }).disposed(by: bag)
        scheduler.scheduleAt(20) { selection.onNext(Article(id: 7, title: "")) }
        scheduler.start()
        check(shown, [[0], [0, 1], [0, 1]])
        check(failures.count, 1)
        check(loading.last, false)
        check(model.selections.map(\.title), ["bad!"])
        check(api.requests, 3)
    }
}
