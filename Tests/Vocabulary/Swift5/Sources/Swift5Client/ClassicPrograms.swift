import Foundation
import Rx
import RxFoundation
import RxTest

// Programs in the language of the years before Swift 6: no `any`, nothing `Sendable`, variables changed from closures,
// `self` captured as it comes. They compile, with warnings where Swift 6 mode has errors.

var launches = 0
let applicationBag = DisposeBag()

func classicPrograms() {
    capturedVariables()
    elementsOfAnyKind()
    viewModels()
    stores()
    services()
    ownOperators()
    ownConformances()
    ownReactives()
    classicTests()
}

func capturedVariables() {
    var sum = 0
    var events: [Event<Int>] = []
    var last: Int?
    var isDisposed = false
    var subscription: Disposable?
    let disposeBag = DisposeBag()

    Observable.of(1, 2, 3)
        .do(onNext: { last = $0 })
        .map { number -> Int in
            sum += number
            return number * 2
        }
        .subscribe { events.append($0) }
        .disposed(by: disposeBag)
    check(sum, 6)
    check(last, 3)
    check(events.count, 4)

    let source = Observable<Int>.create { observer in
        launches += 1
        observer.onNext(launches)
        return Disposables.create { isDisposed = true }
    }
    subscription = source.subscribe(onNext: { value in sum = value }, onError: { (error: Error) in print(error) })
    subscription?.dispose()
    check(isDisposed, true)
    check(sum, 1)

    var disposables: [Disposable] = []
    disposables.append(source.subscribe())
    disposables.forEach { $0.dispose() }
    check(launches, 2)

    var attempts = 0
    let flaky: Observable<String> = Observable.deferred {
        attempts += 1
        return attempts < 3 ? Observable.error(Failure.one) : Observable.just("done")
    }
    var result = ""
    flaky.retry(5).subscribe(onNext: { result = $0 }).disposed(by: disposeBag)
    check(result, "done")
    check(attempts, 3)

    func local(_ number: Int) -> Bool {
        sum += number
        return number > 1
    }
    Observable.of(1, 2).filter(local).subscribe(onNext: { result += "\($0)" }).disposed(by: applicationBag)
    check(result, "done2")
}

/// An element that is nothing like `Sendable`.
class Document {
    var title: String
    var pages: [String: Any] = [:]
    weak var parent: Document?

    init(title: String) { self.title = title }
}

enum Route {
    case document(Document)
    case action(() -> Void)
    case failure(Error)
}

func elementsOfAnyKind() {
    let disposeBag = DisposeBag()
    var found: [String] = []

    let anything: Observable<Any> = Observable.of(1, "two", 3.0)
    anything.subscribe(onNext: { found.append("\($0)") }).disposed(by: disposeBag)
    Observable<Any?>.just(nil).subscribe(onNext: { found.append($0 == nil ? "nil" : "some") }).disposed(by: disposeBag)
    check(found, ["1", "two", "3.0", "nil"])

    var called = 0
    let closures = PublishSubject<() -> Void>()
    closures.subscribe(onNext: { $0() }).disposed(by: disposeBag)
    closures.onNext { called += 1 }
    closures.onNext({ called += 10 })
    check(called, 11)

    let document = Document(title: "first")
    let documents = BehaviorSubject<Document>(value: document)
    documents.map { $0.title }.subscribe(onNext: { found.append($0) }).disposed(by: disposeBag)
    documents.onNext(Document(title: "second"))
    check(found.suffix(2), ["first", "second"])
    Observable.combineLatest(documents, anything) { ($0, $1) }
        .subscribe(onNext: { document, any in document.pages["any"] = any })
        .disposed(by: disposeBag)
    Observable.zip([Observable.just(document), .just(document)]) { $0.map { $0.title } }
        .subscribe(onNext: { found = $0 })
        .disposed(by: disposeBag)
    check(found, ["first", "first"])

    let dictionary: Observable<[String: Any]> = .just(["key": 1])
    dictionary.map { $0["key"] as? Int }.subscribe(onNext: { called = $0 ?? 0 }).disposed(by: disposeBag)
    check(called, 1)

    let routes: Observable<Route> = .of(.document(document), .action { called += 1 }, .failure(Failure.one))
    routes.subscribe(onNext: { route in
        switch route {
        case .document(let document): document.title = "changed"
        case .action(let action): action()
        case .failure(let error): found.append("\(error)")
        }
    })
    .disposed(by: disposeBag)
    check(document.title, "changed")
    check(called, 2)

    let nested: Observable<Observable<Document>> = .just(.just(document))
    nested.merge().subscribe(onNext: { $0.title = "merged" }).disposed(by: disposeBag)
    check(document.title, "merged")
    let objects: Single<NSMutableArray> = Single.just(NSMutableArray())
    objects.subscribe(onSuccess: { $0.add(1) }, onFailure: { _ in }).disposed(by: disposeBag)
    let maybe: Maybe<Document> = Maybe.create { maybe in
        maybe(.success(document))
        return Disposables.create()
    }
    maybe.subscribe(onSuccess: { found.append($0.title) }, onError: { print($0) }, onCompleted: {})
        .disposed(by: disposeBag)
    check(found.last, "merged")
}
