import Rx

func maybes() {
    let bag = DisposeBag()
    let log = Log<String>()
    let one = Maybe.just(1)
    let nothing = Maybe<Int>.empty()
    let failing = Maybe<Int>.error(Failure.one)

    let made = Maybe<Int>.create { maybe in
        maybe(.success(7))
        maybe(.completed)
        maybe(.error(Failure.one))
        return Disposables.create()
    }
    let observer: Maybe<Int>.MaybeObserver = { event in log.append("\(event)") }
    made.subscribe(observer).disposed(by: bag)
    made.subscribe { event in
        switch event {
        case .success(let element): log.append("\(element)")
        case .error(let error): log.append("\(error)")
        case .completed: log.append("completed")
        }
    }
    .disposed(by: bag)
    made.subscribe(
        onSuccess: { log.append("\($0)") }, onError: { log.append("\($0)") }, onCompleted: { log.append("completed") },
        onDisposed: { log.append("gone") }
    )
    .disposed(by: bag)
    check(log.entries, ["success(7)", "7", "7", "gone"])
    let screen = Screen()
    made.subscribe(
        with: screen, onSuccess: { $0.show("\($1)") }, onError: { $0.show("\($1)") },
        onCompleted: { $0.show("completed") }, onDisposed: { $0.show("gone") }
    )
    .disposed(by: bag)
    nothing.subscribe(with: screen, onCompleted: { $0.show("completed") }).disposed(by: bag)
    check(screen.shown.entries, ["7", "gone", "completed"])

    expect(Maybe<Int>.never(), gives: [], then: .open)
    expect(Maybe.just(1, scheduler: CurrentThreadScheduler.instance), gives: [1])
    expect(Maybe.deferred { .just(1) }, gives: [1])
    expect(one.map { $0 + 1 }, gives: [2])
    expect(one.flatMap { .just("\($0)") }, gives: ["1"])
    expect(one.filter { $0 > 1 }, gives: [])
    expect(one.compactMap { $0 > 0 ? "\($0)" : nil }, gives: ["1"])
    expect(nothing.ifEmpty(default: 2), gives: [2])
    expect(nothing.ifEmpty(switchTo: Maybe.just(2)), gives: [2])
    expect(nothing.ifEmpty(switchTo: Single.just(2)), gives: [2])
    expect(failing.catch { _ in .just(2) }, gives: [2])
    expect(failing.catchAndReturn(2), gives: [2])
    expect(
        one.do(
            onNext: { log.append("\($0)") }, afterNext: { log.append("after \($0)") },
            onError: { log.append("\($0)") }, afterError: { log.append("after \($0)") },
            onCompleted: { log.append("completed") }, afterCompleted: { log.append("after completed") },
            onSubscribe: { log.append("subscribe") }, onSubscribed: { log.append("subscribed") },
            onDispose: { log.append("dispose") }), gives: [1])
    expect(Maybe.using({ BooleanDisposable() }, primitiveSequenceFactory: { _ in one }), gives: [1])
    let generic: PrimitiveSequence<MaybeTrait, Int> = one
    check(describe(generic), "MaybeTrait of Int")
}

func maybesZipped() {
    let a = Maybe.just(1)
    let s = Maybe.just("s")
    expect(Maybe.zip(a, s).map { "\($0)\($1)" }, gives: ["1s"])
    expect(Maybe.zip(a, a, a).map { $0 + $1 + $2 }, gives: [3])
    expect(Maybe.zip(a, a, a, a).map { $0.3 }, gives: [1])
    expect(Maybe.zip(a, a, a, a, a).map { $0.4 }, gives: [1])
    expect(Maybe.zip(a, a, a, a, a, s).map { $0.5 }, gives: ["s"])
    expect(Maybe.zip(a, a, a, a, a, a, s).map { $0.6 }, gives: ["s"])
    expect(Maybe.zip(a, a, a, a, a, a, a, s).map { $0.7 }, gives: ["s"])
    expect(Maybe.zip(a, s) { "\($0)\($1)" }, gives: ["1s"])
    expect(Maybe.zip(a, a, resultSelector: +), gives: [2])
    expect(Maybe.zip(a, a, a) { $0 + $1 + $2 }, gives: [3])
    expect(Maybe.zip(a, a, a, a) { $0 + $1 + $2 + $3 }, gives: [4])
    expect(Maybe.zip(a, a, a, a, a) { $0 + $1 + $2 + $3 + $4 }, gives: [5])
    expect(Maybe.zip(a, a, a, a, a, s) { _, _, _, _, _, s in s }, gives: ["s"])
    expect(Maybe.zip(a, a, a, a, a, a, s) { _, _, _, _, _, _, s in s }, gives: ["s"])
    expect(Maybe.zip(a, a, a, a, a, a, a, s) { _, _, _, _, _, _, _, s in s }, gives: ["s"])
    expect(Maybe.zip(a, a, a, a, a, a, a, a) { $0 + $1 + $2 + $3 + $4 + $5 + $6 + $7 }, gives: [8])
}
