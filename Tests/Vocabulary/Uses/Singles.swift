import Dispatch
import Rx

func singles() {
    let bag = DisposeBag()
    let log = Log<String>()
    let one = Single.just(1)
    let failing = Single<Int>.error(Failure.one)

    let made = Single<Int>.create { single in
        single(.success(7))
        return Disposables.create { log.append("disposed") }
    }
    let observer: Single<Int>.SingleObserver = { result in log.append("\(result)") }
    made.subscribe(observer).disposed(by: bag)
    made.subscribe { result in
        switch result {
        case .success(let element): log.append("\(element)")
        case .failure(let error): log.append("\(error)")
        }
    }
    .disposed(by: bag)
    made.subscribe(
        onSuccess: { log.append("\($0)") }, onFailure: { log.append("\($0)") }, onDisposed: { log.append("gone") }
    )
    .disposed(by: bag)
    made.subscribe(onSuccess: { log.append("\($0)") }).disposed(by: bag)
    check(log.entries, ["success(7)", "disposed", "7", "disposed", "7", "gone", "disposed", "7", "disposed"])
    let screen = Screen()
    made.subscribe(
        with: screen, onSuccess: { $0.show("\($1)") }, onFailure: { $0.show("\($1)") }, onDisposed: { $0.show("gone") }
    )
    .disposed(by: bag)
    made.subscribe(with: screen, onSuccess: { screen, number in screen.show("\(number)") }).disposed(by: bag)
    check(screen.shown.entries, ["7", "gone", "7"])

    expect(Single<Int>.never(), gives: [], then: .open)
    expect(Single.just(1, scheduler: CurrentThreadScheduler.instance), gives: [1])
    expect(Single.deferred { .just(1) }, gives: [1])
    expect(one.map { $0 + 1 }, gives: [2])
    expect(one.flatMap { .just("\($0)") }, gives: ["1"])
    expect(one.flatMap { number -> Single<Int> in number > 0 ? .just(number) : .error(Failure.one) }, gives: [1])
    expect(one.flatMapMaybe { _ in Maybe<Int>.empty() }, gives: [])
    expectEnd(one.flatMapCompletable { _ in Completable.empty() })
    expect(one.filter { $0 > 1 }, gives: [])
    expect(one.compactMap { $0 > 0 ? "\($0)" : nil }, gives: ["1"])
    expect(failing.catch { _ in .just(2) }, gives: [2])
    expect(failing.catchAndReturn(2), gives: [2])
    expect(failing.retry(2), gives: [], then: .failed)
    expect(failing.retry { $0.take(1) }, gives: [])
    expect(failing.retry(when: { (errors: Observable<Failure>) in errors.take(1) }), gives: [])
    expect(one.observe(on: CurrentThreadScheduler.instance), gives: [1])
    expect(one.subscribe(on: CurrentThreadScheduler.instance), gives: [1])
    expect(one.asMaybe(), gives: [1])
    expectEnd(one.asCompletable())
    expect(one.primitiveSequence.asObservable(), gives: [1])
    expect(one.debug("one"), gives: [1])
    expect(
        one.do(
            onSuccess: { log.append("\($0)") }, afterSuccess: { log.append("after \($0)") },
            onError: { log.append("\($0)") }, afterError: { log.append("after \($0)") },
            onSubscribe: { log.append("subscribe") }, onSubscribed: { log.append("subscribed") },
            onDispose: { log.append("dispose") }), gives: [1])
    expect(one.do(onSuccess: { log.append("\($0)") }), gives: [1])
    expect(Single.using({ BooleanDisposable() }, primitiveSequenceFactory: { _ in one }), gives: [1])
    expect(one.loud(), gives: ["1!"])
    let generic: PrimitiveSequence<SingleTrait, Int> = one
    check(describe(generic), "SingleTrait of Int")
    expect(Observable.of(1, 2).flatMap { Single.just($0) }, gives: [1, 2])
}

extension PrimitiveSequence where Trait == SingleTrait {
    /// An operator of the client's own.
    func loud() -> Single<String> { map { "\($0)!" } }
}

func describe<Sequence: PrimitiveSequenceType>(_ sequence: Sequence) -> String {
    let primitive: PrimitiveSequence<Sequence.Trait, Sequence.Element> = sequence.primitiveSequence
    _ = primitive
    return "\(Sequence.Trait.self) of \(Sequence.Element.self)"
}

func singlesZipped() {
    let a = Single.just(1)
    let s = Single.just("s")
    expect(Single.zip([a, a]), gives: [[1, 1]])
    expect(Single.zip([a, a]) { $0.count }, gives: [2])
    expect(Single.zip([a, a], resultSelector: { $0.reduce(0, +) }), gives: [2])
    expect(Single.zip(a, s).map { "\($0)\($1)" }, gives: ["1s"])
    expect(Single.zip(a, a, a).map { $0 + $1 + $2 }, gives: [3])
    expect(Single.zip(a, a, a, a).map { $0.3 }, gives: [1])
    expect(Single.zip(a, a, a, a, a).map { $0.4 }, gives: [1])
    expect(Single.zip(a, a, a, a, a, s).map { $0.5 }, gives: ["s"])
    expect(Single.zip(a, a, a, a, a, a, s).map { $0.6 }, gives: ["s"])
    expect(Single.zip(a, a, a, a, a, a, a, s).map { $0.7 }, gives: ["s"])
    expect(Single.zip(a, s) { "\($0)\($1)" }, gives: ["1s"])
    expect(Single.zip(a, a, resultSelector: +), gives: [2])
    expect(Single.zip(a, a, a) { $0 + $1 + $2 }, gives: [3])
    expect(Single.zip(a, a, a, a) { $0 + $1 + $2 + $3 }, gives: [4])
    expect(Single.zip(a, a, a, a, a) { $0 + $1 + $2 + $3 + $4 }, gives: [5])
    expect(Single.zip(a, a, a, a, a, s) { _, _, _, _, _, s in s }, gives: ["s"])
    expect(Single.zip(a, a, a, a, a, a, s) { _, _, _, _, _, _, s in s }, gives: ["s"])
    expect(Single.zip(a, a, a, a, a, a, a, s) { _, _, _, _, _, _, _, s in s }, gives: ["s"])
    expect(Single.zip(a, a, a, a, a, a, a, a) { $0 + $1 + $2 + $3 + $4 + $5 + $6 + $7 }, gives: [8])
}
