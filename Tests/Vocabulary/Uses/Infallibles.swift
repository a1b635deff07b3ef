import Rx

func infallibles() {
    let bag = DisposeBag()
    let log = Log<String>()
    let numbers = Infallible.of(1, 2, 3)
    let made = Infallible<Int>.create { observer in
        observer(.next(1))
        observer(.completed)
        return Disposables.create()
    }
    let subscribe: @Sendable (@escaping Infallible<Int>.InfallibleObserver) -> any Disposable = { observer in
        observer(.next(2))
        return Disposables.create()
    }
    expect(Infallible.create(subscribe: subscribe), gives: [2], then: .open)
    made.subscribe { event in log.append("\(event)") }.disposed(by: bag)
    made.subscribe { event in
        switch event {
        case .next(let element): log.append("\(element)")
        case .completed: log.append("end")
        case .error: log.append("never")
        }
    }
    .disposed(by: bag)
    made.subscribe(
        onNext: { log.append("\($0)") }, onCompleted: { log.append("end") }, onDisposed: { log.append("gone") }
    )
    .disposed(by: bag)
    made.subscribe(onNext: { log.append("\($0)") }).disposed(by: bag)
    check(log.entries, ["next(1)", "completed", "1", "end", "1", "end", "gone", "1"])
    let screen = Screen()
    made.subscribe(
        with: screen, onNext: { $0.show("\($1)") }, onCompleted: { $0.show("end") }, onDisposed: { $0.show("gone") }
    )
    .disposed(by: bag)
    made.subscribe(with: screen, onNext: { screen, number in screen.show("\(number)") }).disposed(by: bag)
    check(screen.shown.entries, ["1", "end", "gone", "1"])

    expect(numbers.asObservable(), gives: [1, 2, 3])
    expect(Infallible.of(1, 2, scheduler: CurrentThreadScheduler.instance), gives: [1, 2])
    expect(Infallible.from([1, 2]), gives: [1, 2])
    expect(Infallible.from(Set([1]), scheduler: CurrentThreadScheduler.instance), gives: [1])
    expect(Infallible.from([1], scheduler: CurrentThreadScheduler.instance), gives: [1])
    expect(Infallible.just(1), gives: [1])
    expect(Infallible.just(1, scheduler: CurrentThreadScheduler.instance), gives: [1])
    expect(Infallible<Int>.empty(), gives: [])
    expect(Infallible<Int>.never(), gives: [], then: .open)
    expect(Infallible.deferred { .just(1) }, gives: [1])
    expect(numbers.map { $0 * 2 }, gives: [2, 4, 6])
    expect(numbers.filter { $0 > 1 }, gives: [2, 3])
    expect(numbers.compactMap { $0 == 1 ? nil : "\($0)" }, gives: ["2", "3"])
    expect(numbers.flatMap { Infallible.of($0, $0) }, gives: [1, 1, 2, 2, 3, 3])
    expect(numbers.flatMapFirst { Infallible.just($0) }, gives: [1, 2, 3])
    expect(numbers.flatMapLatest { Infallible.just($0) }, gives: [1, 2, 3])
    expect(numbers.concatMap { Infallible.just($0) }, gives: [1, 2, 3])
    expect(numbers.concat(Infallible.just(4)), gives: [1, 2, 3, 4])
    expect(Infallible.concat(numbers, numbers), gives: [1, 2, 3, 1, 2, 3])
    expect(Infallible.concat([numbers, .just(4)]), gives: [1, 2, 3, 4])
    expect(Infallible.concat(Sources(list: [numbers])), gives: [1, 2, 3])
    expect(Infallible.concat(ContiguousArray([numbers])), gives: [1, 2, 3])
    expect(Infallible.merge(numbers, .empty()), gives: [1, 2, 3])
    expect(Infallible.merge([numbers, .empty()]), gives: [1, 2, 3])
    expect(Infallible.merge(ContiguousArray([numbers, .empty()])), gives: [1, 2, 3])
    expect(numbers.scan(0) { $0 + $1 }, gives: [1, 3, 6])
    expect(numbers.scan(into: [Int]()) { $0.append($1) }, gives: [[1], [1, 2], [1, 2, 3]])
    expect(numbers.share(), gives: [1, 2, 3])
    expect(numbers.share(replay: 1, scope: .forever), gives: [1, 2, 3])
    expect(numbers.startWith(0), gives: [0, 1, 2, 3])
    expect(numbers.skip(while: { $0 < 2 }), gives: [2, 3])
    expect(numbers.skip(until: Infallible.just(1)), gives: [1, 2, 3])
    expect(numbers.take(2), gives: [1, 2])
    expect(numbers.take(while: { $0 < 3 }), gives: [1, 2])
    expect(numbers.take(while: { $0 < 3 }, behavior: .inclusive), gives: [1, 2, 3])
    expect(numbers.take(until: { $0 == 2 }, behavior: .inclusive), gives: [1, 2])
    expect(numbers.take(until: Infallible<Int>.never()), gives: [1, 2, 3])
    expect(numbers.take(until: Observable<Int>.never()), gives: [1, 2, 3])
    expect(numbers.withLatestFrom(Infallible.just("x")), gives: ["x", "x", "x"])
    expect(numbers.withLatestFrom(Infallible.just("x")) { "\($0)\($1)" }, gives: ["1x", "2x", "3x"])
    expect(numbers.withUnretained(screen).map { $0.1 }, gives: [1, 2, 3])
    expect(numbers.withUnretained(screen) { $1 }, gives: [1, 2, 3])
    expect(numbers.debug("numbers"), gives: [1, 2, 3])
    expect(Infallible.of(1, 1).distinctUntilChanged(), gives: [1])
    expect(Infallible.of(1, 3).distinctUntilChanged { $0 % 2 }, gives: [1])
    expect(Infallible.of(1, 3).distinctUntilChanged { $0 % 2 == $1 % 2 }, gives: [1])
    expect(Infallible.of(1, 3).distinctUntilChanged({ $0 % 2 }, comparer: { $0 == $1 }), gives: [1])
    expect(Infallible.of(Person(name: "Ada", age: 1)).distinctUntilChanged(at: \.name).map { $0.age }, gives: [1])
    expect(
        numbers.do(
            onNext: { log.append("\($0)") }, afterNext: { log.append("after \($0)") },
            onCompleted: { log.append("end") }, afterCompleted: { log.append("after end") },
            onSubscribe: { log.append("subscribe") }, onSubscribed: { log.append("subscribed") },
            onDispose: { log.append("dispose") }), gives: [1, 2, 3])
    expect(numbers.even(), gives: [2])
}

extension InfallibleType where Element == Int {
    /// An operator of the client's own.
    func even() -> Infallible<Int> { filter { $0 % 2 == 0 } }
}

func infalliblesCombined() {
    let a = Infallible.just(1)
    let b = Infallible.just(2)
    let s = Infallible.just("s")
    expect(Infallible.combineLatest([a, b]).map { $0 }, gives: [[1, 2]])
    expect(Infallible.combineLatest([a, b]) { $0.reduce(0, +) }, gives: [3])
    expect(Infallible.combineLatest(a, s).map { "\($0)\($1)" }, gives: ["1s"])
    expect(Infallible.combineLatest(a, b, a).map { $0 + $1 + $2 }, gives: [4])
    expect(Infallible.combineLatest(a, b, a, b).map { $0 + $1 + $2 + $3 }, gives: [6])
    expect(Infallible.combineLatest(a, b, a, b, s).map { $0.4 }, gives: ["s"])
    expect(Infallible.combineLatest(a, b, a, b, a, s).map { $0.5 }, gives: ["s"])
    expect(Infallible.combineLatest(a, b, a, b, a, b, s).map { $0.6 }, gives: ["s"])
    expect(Infallible.combineLatest(a, b, a, b, a, b, a, s).map { $0.7 }, gives: ["s"])
    expect(Infallible.combineLatest(a, b, resultSelector: +), gives: [3])
    expect(Infallible.combineLatest(a, b) { $0 + $1 }, gives: [3])
    expect(Infallible.combineLatest(a, b, a) { $0 + $1 + $2 }, gives: [4])
    expect(Infallible.combineLatest(a, b, a, b) { $0 + $1 + $2 + $3 }, gives: [6])
    expect(Infallible.combineLatest(a, b, a, b, a) { $0 + $1 + $2 + $3 + $4 }, gives: [7])
    expect(Infallible.combineLatest(a, b, a, b, a, s) { _, _, _, _, _, s in s }, gives: ["s"])
    expect(Infallible.combineLatest(a, b, a, b, a, b, s) { _, _, _, _, _, _, s in s }, gives: ["s"])
    expect(Infallible.combineLatest(a, b, a, b, a, b, a, s) { _, _, _, _, _, _, _, s in s }, gives: ["s"])
    expect(Infallible.zip(a, b, resultSelector: +), gives: [3])
    expect(Infallible.zip(a, s) { "\($0)\($1)" }, gives: ["1s"])
    expect(Infallible.zip(a, b, a) { $0 + $1 + $2 }, gives: [4])
    expect(Infallible.zip(a, b, a, b) { $0 + $1 + $2 + $3 }, gives: [6])
    expect(Infallible.zip(a, b, a, b, a) { $0 + $1 + $2 + $3 + $4 }, gives: [7])
    expect(Infallible.zip(a, b, a, b, a, s) { _, _, _, _, _, s in s }, gives: ["s"])
    expect(Infallible.zip(a, b, a, b, a, b, s) { _, _, _, _, _, _, s in s }, gives: ["s"])
    expect(Infallible.zip(a, b, a, b, a, b, a, s) { _, _, _, _, _, _, _, s in s }, gives: ["s"])
    expect(Infallible.zip(a, b, a, b, a, b, a, b) { $0 + $1 + $2 + $3 + $4 + $5 + $6 + $7 }, gives: [12])
    expect(Infallible.combineLatest(a, b, a, b, a, b, a, b) { $0 + $1 + $2 + $3 + $4 + $5 + $6 + $7 }, gives: [12])
}
