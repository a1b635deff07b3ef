import Rx

func creation() {
    let bag = DisposeBag()
    let log = Log<String>()

    Observable<Int>.create { observer in
        observer.onNext(1)
        observer.on(.next(2))
        observer.onCompleted()
        return Disposables.create { log.append("disposed") }
    }
    .subscribe(onNext: { log.append("\($0)") })
    .disposed(by: bag)
    check(log.entries, ["1", "2", "disposed"])

    let stubborn: Observable<String> = Observable.create { observer in
        observer.onError(Failure.one)
        return Disposables.create()
    }
    expect(stubborn, gives: [], then: .failed)

    expect(Observable.of(1, 2, 3), gives: [1, 2, 3])
    expect(Observable.of(1, 2, scheduler: CurrentThreadScheduler.instance), gives: [1, 2])
    expect(Observable.from([1, 2]), gives: [1, 2])
    expect(Observable.from([1, 2], scheduler: CurrentThreadScheduler.instance), gives: [1, 2])
    expect(Observable.from(stride(from: 0, to: 6, by: 2)), gives: [0, 2, 4])
    expect(Observable.from(Set([1])), gives: [1])
    expect(Observable.from(optional: Int?.none), gives: [])
    expect(Observable.from(optional: 1, scheduler: CurrentThreadScheduler.instance), gives: [1])
    expect(Observable.just(1), gives: [1])
    expect(Observable.just(1, scheduler: CurrentThreadScheduler.instance), gives: [1])
    expect(Observable<Int>.empty(), gives: [])
    expect(Observable<Int>.never(), gives: [], then: .open)
    expect(Observable<Int>.error(Failure.one), gives: [], then: .failed)
    expect(Observable.deferred { Observable.just(1) }, gives: [1])
    expect(
        Observable.deferred { () -> Observable<Int> in
            log.append("deferred")
            return .just(2)
        }, gives: [2])
    expect(Observable.range(start: 1, count: 3), gives: [1, 2, 3])
    expect(Observable<Int64>.range(start: 1, count: 1, scheduler: CurrentThreadScheduler.instance), gives: [1])
    expect(Observable.repeatElement(1).take(2), gives: [1, 1])
    expect(Observable.repeatElement(1, scheduler: CurrentThreadScheduler.instance).take(1), gives: [1])
    expect(
        Observable.generate(initialState: 0, condition: { $0 < 3 }, iterate: { $0 + 1 }), gives: [0, 1, 2])
    expect(
        Observable.generate(
            initialState: 1, condition: { $0 < 9 }, scheduler: CurrentThreadScheduler.instance
        ) { $0 * 2 }, gives: [1, 2, 4, 8])
    expect(
        Observable.using({ OwnDisposable(Log<Int>()) }, observableFactory: { _ in Observable.just(1) }), gives: [1])
    expect(
        Observable<Int>.using({ BooleanDisposable() }) { resource in .just(resource.isDisposed ? 1 : 0) }, gives: [0])

    let implicit: Observable<Int> = .just(1)
    let members: [Observable<Int>] = [.empty(), .never(), .just(1), .of(1, 2), .error(Failure.one), implicit]
    check(members.count, 6)
    check(isSmall(7), true)
    let renamed: RxObservable<Int> = implicit
    expect(renamed, gives: [1])
    check(maxTailRecursiveSinkStackSize >= 0, true)
}

func isSmall<Number: RxAbstractInteger>(_ number: Number) -> Bool { number < 10 }

func subscribing() {
    let log = Log<String>()
    let source = Observable.of(1, 2)
    let bag = DisposeBag()

    source.subscribe { event in log.append("\(event)") }.disposed(by: bag)
    source.subscribe { event in
        switch event {
        case .next(let element): log.append("\(element)")
        case .error(let error): log.append("\(error)")
        case .completed: log.append("end")
        }
    }
    .disposed(by: bag)
    source.subscribe().disposed(by: bag)
    source.subscribe(onNext: { log.append("\($0)") }).disposed(by: bag)
    source.subscribe(onCompleted: { log.append("completed") }).disposed(by: bag)
    source.subscribe(
        onNext: { element in log.append("\(element)") },
        onError: { error in log.append("\(error)") },
        onCompleted: { log.append("completed") },
        onDisposed: { log.append("disposed") }
    )
    .disposed(by: bag)
    source.subscribe(onNext: { log.append("\($0)") }, onDisposed: { log.append("gone") }).disposed(by: bag)
    source.subscribe {
        log.append("first \($0)")
    } onDisposed: {
        log.append("gone")
    }.disposed(by: bag)
    check(log.entries.count, 3 + 3 + 2 + 1 + 4 + 3 + 3)

    let screen = Screen()
    source.subscribe(with: screen, onNext: { screen, element in screen.show("\(element)") }).disposed(by: bag)
    source.subscribe(
        with: screen,
        onNext: { $0.show("\($1)") },
        onError: { $0.show("\($1)") },
        onCompleted: { $0.show("completed") },
        onDisposed: { $0.show("disposed") }
    )
    .disposed(by: bag)
    source.subscribe(with: screen) { screen, element in screen.show("last \(element)") }.disposed(by: bag)
    check(screen.shown.entries, ["1", "2", "1", "2", "completed", "disposed", "last 1", "last 2"])

    source.subscribe(screen).disposed(by: bag)
    source.asObservable().subscribe(screen.asObserver()).disposed(by: bag)
    check(screen.shown.entries.suffix(3), ["next(1)", "next(2)", "completed"])
    convert(source).subscribe(onNext: { log.append("\($0)") }).disposed(by: bag)
}

func convert<Convertible: ObservableConvertibleType>(_ convertible: Convertible) -> Observable<Convertible.Element> {
    convertible.asObservable()
}

/// What a program shows its state on.
final class Screen: ObserverType, Sendable {
    typealias Element = Int
    let shown = Log<String>()

    func show(_ text: String) { shown.append(text) }
    func on(_ event: Event<Int>) { shown.append("\(event)") }
}
