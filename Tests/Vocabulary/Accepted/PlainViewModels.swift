import Rx
import RxAction
import RxTraits

/// The usual view model: neither `Sendable` nor on the main actor, and its closures run on the main thread.
class PlainViewModel {
    var cache: [String] = []
    var prefix = "> "
    let bag = DisposeBag()
    let isLoading = BehaviorRelay(value: true)

    init(_ names: Observable<String>) {
        names.observe(on: MainScheduler.instance).subscribe(onNext: { self.cache.append($0) }).disposed(by: bag)
    }

    func start(_ names: Observable<String>) {
        names.observe(on: MainScheduler.instance)
            .subscribe(
                onNext: { [weak self] in self?.cache.append($0) }, onError: { [weak self] in self?.note($0) },
                onCompleted: { [unowned self] in self.prefix = "" }, onDisposed: { [weak self] in self?.finish() }
            )
            .disposed(by: bag)
        names.observe(on: MainScheduler.asyncInstance).bind(onNext: { [weak self] in self?.show($0) }).disposed(by: bag)
        names.observe(on: MainScheduler.instance).bind(onNext: show).disposed(by: bag)
        names.observe(on: MainScheduler.instance).subscribe { [weak self] in self?.note("\($0)") }.disposed(by: bag)
        names.observe(on: MainScheduler.instance).subscribe(with: self) { $0.show($1) }.disposed(by: bag)
    }

    func texts(_ names: Observable<String>) -> Observable<String> {
        names.observe(on: MainScheduler.instance)
            .do(onNext: { [weak self] in self?.cache.append($0) })
            .filter { [unowned self] in self.isNew($0) }
            .filter(isNew)
            .map { self.prefix + $0 }
            .compactMap { [weak self] text in self?.format(text) }
            .scan("") { [unowned self] in $0 + $1 + self.prefix }
            .scan(into: [String]()) { $0.append(self.prefix + $1) }
            .map { $0.joined() }
    }

    func distinct(_ names: Observable<String>) -> Observable<String> {
        names.observe(on: MainScheduler.instance)
            .distinctUntilChanged { [unowned self] in $0 == $1 && self.cache.isEmpty }
            .distinctUntilChanged { [weak self] in self?.format($0) }
    }

    func load(_ name: Single<String>) -> Single<String> {
        name.observe(on: MainScheduler.instance)
            .do(onSuccess: { [weak self] in self?.cache.append($0) }, onError: { [weak self] in self?.note($0) })
            .map { [unowned self] in self.prefix + $0 }
    }

    func save(_ work: Completable) {
        work.observe(on: MainScheduler.instance).do(onCompleted: { [weak self] in self?.finish() })
            .subscribe(onCompleted: { [weak self] in self?.finish() }, onError: { self.note($0) }).disposed(by: bag)
    }

    func transform(_ name: Driver<String>, _ taps: Signal<Void>) -> Driver<String> {
        taps.emit(onNext: { [weak self] in self?.finish() }).disposed(by: bag)
        name.drive(onNext: { [weak self] in self?.cache.append($0) }).disposed(by: bag)
        name.drive(onNext: show).disposed(by: bag)
        return Driver.combineLatest(name, isLoading.asDriver()) { [unowned self] in $1 ? self.prefix : $0 }
            .map { [unowned self] in self.format($0) }
            .filter { [weak self] in self?.isNew($0) ?? false }
            .do(onNext: { [weak self] in self?.cache.append($0) })
            .flatMapLatest { [weak self] text in self.map { .just($0.format(text)) } ?? .empty() }
    }

    func bind(_ taps: ControlEvent<Void>, _ text: ControlProperty<String>) {
        taps.subscribe(onNext: { [weak self] in self?.finish() }).disposed(by: bag)
        taps.bind(onNext: { self.finish() }).disposed(by: bag)
        taps.do(onNext: { [weak self] in self?.finish() }).map { [unowned self] in self.prefix }
            .filter { self.isNew($0) }.subscribe().disposed(by: bag)
        text.map { [weak self] in self?.format($0) ?? "" }.distinctUntilChanged().bind(onNext: show).disposed(by: bag)
        text.subscribe(onNext: { [weak self] in self?.cache.append($0) }).disposed(by: bag)
        text.orEmpty().bind(to: Binder(self) { model, text in model.show(text) }).disposed(by: bag)
        text.bind(to: Binder(self) { [prefix, bag] model, text in model.note((prefix + text, bag)) }).disposed(by: bag)
    }

    private func isNew(_ text: String) -> Bool { !cache.contains(prefix + text) }
    private func format(_ text: String) -> String { prefix + text }
    private func show(_ text: String) { cache.append(text) }
    private func note(_ any: Any) { cache.append("\(any)") }
    private func finish() { isLoading.accept(false) }
}

extension ObservableType where Element == String {
    fileprivate func orEmpty() -> Observable<String> { asObservable() }
}

/// Closures that a `@MainActor` class assigns to variables whose types the libraries name.
@MainActor
final class AssignedClosures {
    var title = ""

    func assign() {
        let hooks = (Hooks.defaultErrorHandler, Hooks.customCaptureSubscriptionCallstack)
        defer { (Hooks.defaultErrorHandler, Hooks.customCaptureSubscriptionCallstack) = hooks }
        Hooks.defaultErrorHandler = { [weak self] _, error in self?.title = "\(error)" }
        Hooks.customCaptureSubscriptionCallstack = { [weak self] in [self?.title ?? ""] }
        let work: Action<Int, String>.WorkFactory = { [weak self] number in
            self?.title = "\(number)"
            return .just("\(number)")
        }
        Action(workFactory: work).execute(1).subscribe().dispose()
        check(title, "1")
        let handler: AnyObserver<String>.EventHandler = { [weak self] in self?.title = $0.element ?? "end" }
        Observable.just("observed").concat(Observable.never()).subscribe(AnyObserver(eventHandler: handler)).dispose()
        check(title, "observed")
        let single: Single<String>.SingleObserver = { [weak self] in self?.title = (try? $0.get()) ?? "" }
        Single.just("single").subscribe(single).dispose()
        check(title, "single")
        let maybe: Maybe<String>.MaybeObserver = { [weak self] _ in self?.title = "maybe" }
        Maybe.just("").subscribe(maybe).dispose()
        let completable: Completable.CompletableObserver = { [weak self] _ in self?.title += " completed" }
        Completable.empty().subscribe(completable).dispose()
        check(title, "maybe completed")
    }

    func create(_ text: String) -> Single<String> {
        Single.create { (observer: @escaping Single<String>.SingleObserver) in
            observer(.success(self.title + text))
            return Disposables.create { [weak self] in self?.title = "created" }
        }
    }

    func infallible() -> Infallible<String> {
        Infallible.create { (observer: @escaping Infallible<String>.InfallibleObserver) in
            observer(.next(self.title))
            observer(.completed)
            return Disposables.create()
        }
    }
}

@MainActor
func plainViewModels() {
    let names = Observable.of("Ada", "Grace")
    let model = PlainViewModel(names)
    check(model.cache, ["Ada", "Grace"])
    model.start(names)
    check(model.prefix, "")
    check(model.isLoading.value, false)
    model.prefix = "> "
    model.cache = []
    expect(model.load(.just("Ada")), gives: ["> Ada"])
    check(model.cache, ["Ada"])
    model.save(.empty())
    model.cache = []
    let subscription = model.transform(.just("Ada"), .empty()).drive(onNext: { model.cache.append($0) })
    check(model.cache.contains("> > Ada"), true)
    let text = ControlProperty(values: names, valueSink: model.isLoading.sink)
    model.bind(ControlEvent(events: Observable.just(())), text)
    check(model.cache.last, "(\"> Grace\", Rx.DisposeBag)")
    subscription.dispose()
    expect(model.distinct(.of("Ada", "Ada", "Grace")), gives: ["Ada", "Grace"])
    model.cache = []
    expect(model.texts(.just("Ada")), gives: ["> > > Ada> "])
    let closures = AssignedClosures()
    closures.assign()
    expect(closures.create("!"), gives: ["maybe completed!"])
    expect(closures.infallible(), gives: ["created"])
}

extension BehaviorRelay<Bool> {
    fileprivate var sink: AnyObserver<String> { AnyObserver { [weak self] in self?.accept($0.element != nil) } }
}
