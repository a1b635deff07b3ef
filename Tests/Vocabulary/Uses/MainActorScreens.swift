import Rx

/// A view model as apps write it: after `observe(on: MainScheduler.instance)`, closures use state of the main actor.
@MainActor
private final class ProfileViewModel {
    private(set) var title = ""
    private(set) var count = 0
    private(set) var isLoading = true
    private(set) var log: [String] = []
    private var prefix = "> "
    private var bag = DisposeBag()

    private func show(_ text: String) { title = text }
    private func showLong(_ text: String) { title = format(text) }
    private func format(_ text: String) -> String { prefix + text }
    private func isLong(_ text: String) -> Bool { prefix.count + text.count > 3 }
    private func same(_ first: String, _ second: String) -> Bool { prefix + first == prefix + second }
    private func fail(_ error: any Error) { log.append("failed") }
    private func finish() { isLoading = false }

    func stop() { bag = DisposeBag() }

    func subscribe(_ names: Observable<String>) {
        let main = names.observe(on: MainScheduler.instance)
        main.subscribe(onNext: { self.title = $0 }).disposed(by: bag)
        main.subscribe(onNext: { [weak self] in self?.title = $0 }).disposed(by: bag)
        main.subscribe(onNext: { [unowned self] name in
            title = name
            count += 1
        })
        .disposed(by: bag)
        main.subscribe(
            onNext: { [weak self] name in
                guard let self else { return }
                self.title = name
                self.log.append(name)
            },
            onError: { [weak self] error in
                self?.fail(error)
            },
            onCompleted: { [weak self] in
                self?.isLoading = false
            },
            onDisposed: {
                print("disposed", terminator: " ")
            }
        )
        .disposed(by: bag)
        main.subscribe(onNext: show, onError: fail, onCompleted: finish).disposed(by: bag)
        main.subscribe(onNext: show(_:)).disposed(by: bag)
        main.subscribe(with: self, onNext: { model, name in model.title = name }).disposed(by: bag)
        main.subscribe(with: self) {
            $0.title = $1
        } onCompleted: {
            $0.isLoading = false
        }.disposed(by: bag)
        main.subscribe { event in self.log.append("\(event)") }.disposed(by: bag)
        main.subscribe { [weak self] in self?.log.append("\($0)") }.disposed(by: bag)
        main.subscribe { [weak self] event in
            switch event {
            case .next(let name): self?.title = name
            case .error(let error): self?.fail(error)
            case .completed: self?.finish()
            }
        }
        .disposed(by: bag)
        main.subscribe().disposed(by: bag)
        var last = ""
        main.subscribe(onNext: { last = $0 }).disposed(by: bag)
        log.append("last \(last)")
    }

    func bind(_ names: Observable<String>, isShort: Bool) {
        names.observe(on: MainScheduler.instance).bind(onNext: { self.title = $0 }).disposed(by: bag)
        names.observe(on: MainScheduler.instance).bind { [weak self] in self?.title = $0 }.disposed(by: bag)
        names.observe(on: MainScheduler.instance).bind(onNext: show).disposed(by: bag)
        names.observe(on: MainScheduler.instance).bind(with: self) { $0.title = $1 }.disposed(by: bag)
        names.observe(on: MainScheduler.instance).bind(onNext: isShort ? show : showLong).disposed(by: bag)
        names.observe(on: MainScheduler.instance).bind(to: BehaviorRelay(value: ""), BehaviorRelay(value: ""))
            .disposed(by: bag)
        names.observe(on: MainScheduler.instance)
            .subscribe(onNext: { name in self.title = isShort ? name : self.format(name) })
            .disposed(by: bag)
        let shown: Observable<String> = isShort ? names.observe(on: MainScheduler.instance) : .just("long")
        shown.subscribe().disposed(by: bag)
    }

    func transform(_ names: Observable<String>) {
        names.observe(on: MainScheduler.instance)
            .do(onNext: { self.log.append($0) }, onError: { self.fail($0) }, onCompleted: { self.finish() })
            .filter { !$0.isEmpty }
            .filter { [weak self] in self?.isLong($0) ?? false }
            .filter(isLong)
            .map { self.prefix + $0 }
            .map(format)
            .map { [weak self] name -> String in
                guard let self else { return name }
                self.count += 1
                return self.format(name)
            }
            .compactMap { [weak self] name in self?.format(name) }
            .subscribe(onNext: { self.title = $0 }, onCompleted: { self.isLoading = false })
            .disposed(by: bag)
        names.observe(on: MainScheduler.asyncInstance)
            .distinctUntilChanged()
            .distinctUntilChanged { $0.count }
            .distinctUntilChanged { $0 == $1 && self.isLoading }
            .distinctUntilChanged(same)
            .distinctUntilChanged({ self.prefix + $0 }, comparer: ==)
            .distinctUntilChanged(at: \.count)
            .bind(onNext: show)
            .disposed(by: bag)
        names.observe(on: MainScheduler.instance)
            .scan("") { $0 + $1 + self.prefix }
            .scan(into: []) { names, name in names.append(self.format(name)) }
            .skip(1)
            .take(1)
            .map(\.count)
            .map { [count] in $0 + count }
            .subscribe(onNext: { self.count = $0 }, onCompleted: { self.isLoading = false })
            .disposed(by: bag)
    }

    func schedulers(_ names: Observable<String>, scheduler: any MainSchedulerType) {
        names.observe(on: MainScheduler.asyncInstance).subscribe(onNext: { self.title = $0 }).disposed(by: bag)
        names.observe(on: MainScheduler()).subscribe(onNext: { self.title = $0 }).disposed(by: bag)
        names.observe(on: ConcurrentMainScheduler.instance).subscribe(onNext: { self.title = $0 }).disposed(by: bag)
        names.observe(on: scheduler).subscribe(onNext: { self.title = $0 }).disposed(by: bag)
        names.observe(on: MainScheduler.instance, buffering: .unbounded).bind { self.title = $0 }.disposed(by: bag)
        names.flatMapLatest { Observable.just($0) }
            .share(replay: 1, scope: .whileConnected)
            .startWith("")
            .observe(on: MainScheduler.instance)
            .subscribe(onNext: { self.title = $0 })
            .disposed(by: bag)
    }

    func traits(_ single: Single<String>, _ maybe: Maybe<String>, _ completable: Completable) {
        single.observe(on: MainScheduler.instance)
            .do(onSuccess: { self.title = $0 }, onError: { self.fail($0) })
            .map { self.format($0) }
            .subscribe(onSuccess: { self.title = $0 }, onFailure: { self.fail($0) })
            .disposed(by: bag)
        single.observe(on: MainScheduler.instance)
            .subscribe(
                onSuccess: { [weak self] name in
                    self?.title = name
                    self?.count += 1
                },
                onFailure: { [weak self] _ in self?.isLoading = false }
            )
            .disposed(by: bag)
        single.observe(on: MainScheduler.instance).subscribe(onSuccess: show, onFailure: fail).disposed(by: bag)
        single.observe(on: MainScheduler.instance).subscribe(with: self, onSuccess: { $0.title = $1 }).disposed(by: bag)
        single.observe(on: MainScheduler.instance)
            .subscribe { [weak self] result in
                switch result {
                case .success(let name): self?.title = name
                case .failure(let error): self?.fail(error)
                }
            }
            .disposed(by: bag)
        single.observe(on: MainScheduler.instance).filter { self.isLong($0) }.compactMap { self.format($0) }
            .subscribe(onSuccess: { self.title = $0 }, onCompleted: { self.finish() })
            .disposed(by: bag)
        maybe.observe(on: MainScheduler.instance).do(onNext: { self.title = $0 }).map { self.format($0) }
            .subscribe(onSuccess: show, onError: fail, onCompleted: finish)
            .disposed(by: bag)
        maybe.observe(on: MainScheduler.instance).subscribe { event in self.log.append("\(event)") }.disposed(by: bag)
        completable.observe(on: MainScheduler.instance).do(onCompleted: { self.finish() })
            .subscribe(onCompleted: { self.isLoading = false }, onError: { self.fail($0) })
            .disposed(by: bag)
        completable.observe(on: MainScheduler.instance).subscribe { _ in self.finish() }.disposed(by: bag)
    }

    func infallibles(_ names: Infallible<String>) {
        names.observe(on: MainScheduler.instance)
            .do(onNext: { self.log.append($0) })
            .map { self.format($0) }
            .filter { self.isLong($0) }
            .distinctUntilChanged()
            .scan("") { $0 + self.format($1) }
            .take(1)
            .subscribe(onNext: { self.title = $0 }, onCompleted: { self.finish() })
            .disposed(by: bag)
        names.observe(on: MainScheduler.instance).bind { [weak self] in self?.title = $0 }.disposed(by: bag)
        names.observe(on: MainScheduler.instance).bind(onNext: show).disposed(by: bag)
    }
}

/// Types that programs wrote before still fit.
private func plain(_ names: Observable<String>, _ single: Single<String>) -> Observable<String> {
    var current = names
    current = current.observe(on: MainScheduler.instance)
    let list = [names, names.observe(on: MainScheduler.instance)]
    let kept: Single<String> = single.observe(on: MainScheduler.instance)
    let request = single.observe(on: MainScheduler.instance)
    let inner = names.flatMapLatest { $0.isEmpty ? Observable.just("").observe(on: MainScheduler.instance) : .empty() }
    let more = names.flatMap { name in single.map { $0 + name }.observe(on: MainScheduler.instance) }
    let merged = Observable.merge(
        current, list[0], kept.asObservable(), request.asObservable(), inner, more,
        Single.zip(kept, single.observe(on: MainScheduler.instance)) { $0 + $1 }.asObservable(),
        request.flatMap { .just($0) }.asObservable(), request.retry(1).asObservable(),
        request.catch { _ in .just("") }.asObservable(), saved(single).andThen(names))
    return merged.observe(on: MainScheduler.instance)
}

private func saved(_ single: Single<String>) -> Completable {
    single.observe(on: MainScheduler.instance).flatMapCompletable { _ in .empty() }.observe(on: MainScheduler.instance)
}

@MainActor
func mainActorScreens() {
    let model = ProfileViewModel()
    let (names, scheduler) = (Observable.of("Ada", "Grace"), ConcurrentMainScheduler.instance)
    model.subscribe(names)
    check(model.title, "Grace")
    check(model.isLoading, false)
    model.bind(names, isShort: true)
    model.transform(names)
    model.schedulers(names, scheduler: scheduler)
    model.traits(.just("Ada"), .just("Ada"), .empty())
    model.infallibles(.of("Ada", "Grace"))
    check(model.title, "Grace")
    plain(names, .just("Ada")).subscribe().dispose()
    model.stop()
}
