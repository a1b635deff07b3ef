import Rx

/// A model as most apps have it: a class with mutable properties, passed by reference.
class Article {
    let id: Int
    var title: String
    var isRead = false
    weak var section: Section?

    init(id: Int, title: String) {
        self.id = id
        self.title = title
    }
}

class Section {
    var articles: [Article] = []
}

/// Keeps what it has loaded in a dictionary that nothing guards.
class ArticleStore {
    static var shared: ArticleStore { ArticleStore() }

    private var cache: [Int: Article] = [:]
    private let changes = PublishSubject<Article>()
    private let current = BehaviorRelay<[Article]>(value: [])
    private let history = ReplaySubject<Article>.create(bufferSize: 2)
    let commands = PublishRelay<() -> Void>()
    let anything = PublishSubject<Any>()

    var articles: Observable<[Article]> { current.asObservable() }
    var updates: Observable<Article> { changes.asObservable() }

    func article(_ id: Int) -> Single<Article> {
        Single.create { single in
            if let article = self.cache[id] {
                single(.success(article))
            } else {
                let article = Article(id: id, title: "article \(id)")
                self.cache[id] = article
                single(.success(article))
            }
            return Disposables.create()
        }
    }

    func mostRecent() -> Maybe<Article> {
        .create { maybe in
            if let article = self.current.value.last { maybe(.success(article)) } else { maybe(.completed) }
            return Disposables.create { self.cache.removeAll() }
        }
    }

    func save(_ article: Article) -> Completable {
        Completable.create { completable in
            self.cache[article.id] = article
            self.current.accept(self.current.value + [article])
            self.changes.onNext(article)
            self.history.onNext(article)
            completable(.completed)
            return Disposables.create()
        }
    }
}

func mutableModels() {
    let store = ArticleStore()
    let bag = DisposeBag()
    var titles: [String] = []
    var values: [Any] = []
    store.updates
        .do(onNext: { $0.isRead = true })
        .map { ($0, $0.title) }
        .filter { article, _ in article.isRead }
        .withUnretained(store)
        .subscribe(onNext: { _, pair in titles.append(pair.1) })
        .disposed(by: bag)
    store.anything.subscribe(onNext: { values.append($0) }).disposed(by: bag)
    store.commands.subscribe(onNext: { $0() }).disposed(by: bag)

    store.article(1)
        .flatMap { article in store.save(article).andThen(.just(article)) }
        .subscribe(onSuccess: { article in titles.append("saved \(article.id)") })
        .disposed(by: bag)
    let newest = store.mostRecent().asObservable().concat(Observable.just(Article(id: 9, title: "last")))
    Observable.combineLatest(store.articles, newest) { articles, article in articles + [article] }
        .map { $0.map(\.id) }
        .subscribe(onNext: { titles.append("\($0)") })
        .disposed(by: bag)
    store.commands.accept { titles.append("called") }
    store.anything.onNext(Article(id: 2, title: "any"))
    store.anything.onNext(titles)

    check(titles, ["article 1", "saved 1", "[1, 1]", "[1, 9]", "called"])
    check(values.count, 2)
}
