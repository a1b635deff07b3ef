import Rx

func relays() {
    let bag = DisposeBag()
    let keeper = Keeper<Int>()
    let published = PublishRelay<Int>()
    published.subscribe(keeper).disposed(by: bag)
    published.accept(1)
    let infallible: Infallible<Int> = published.asInfallible()
    infallible.subscribe(onNext: { keeper.onNext($0 * 10) }).disposed(by: bag)
    published.asObservable().subscribe(onNext: { keeper.onNext($0 * 100) }).disposed(by: bag)
    published.accept(2)
    check(keeper.log.entries, ["next(1)", "next(2)", "next(20)", "next(200)"])

    let behavior = BehaviorRelay(value: 1)
    behavior.accept(behavior.value + 1)
    check(behavior.value, 2)
    behavior.subscribe(keeper).disposed(by: bag)
    expect(behavior.asObservable(), gives: [2], then: .open)
    expect(behavior.asInfallible(), gives: [2], then: .open)

    let replayed = ReplayRelay<Int>.create(bufferSize: 2)
    let unbound = ReplayRelay<Int>.createUnbound()
    for number in 1...3 {
        replayed.accept(number)
        unbound.accept(number)
    }
    expect(replayed.asObservable(), gives: [2, 3], then: .open)
    expect(replayed.asInfallible(), gives: [2, 3], then: .open)
    replayed.subscribe(keeper).disposed(by: bag)
    expect(unbound, gives: [1, 2, 3], then: .open)
}

func binding() {
    let bag = DisposeBag()
    let numbers = Observable.of(1, 2)
    let published = PublishRelay<Int>()
    let behavior = BehaviorRelay(value: 0)
    let replayed = ReplayRelay<Int>.createUnbound()
    let maybe = (PublishRelay<Int?>(), BehaviorRelay<Int?>(value: nil), ReplayRelay<Int?>.createUnbound())
    let log = Log<Int?>()
    published.subscribe(onNext: { log.append($0) }).disposed(by: bag)
    maybe.0.subscribe(onNext: { log.append($0) }).disposed(by: bag)

    numbers.bind(to: published).disposed(by: bag)
    numbers.bind(to: maybe.0).disposed(by: bag)
    numbers.bind(to: behavior).disposed(by: bag)
    numbers.bind(to: maybe.1).disposed(by: bag)
    numbers.bind(to: replayed).disposed(by: bag)
    numbers.bind(to: maybe.2).disposed(by: bag)
    numbers.bind(to: behavior, BehaviorRelay(value: 1)).disposed(by: bag)
    check(log.entries, [1, 2, 1, 2])
    check(behavior.value, 2)
    check(maybe.1.value, 2)
    expect(replayed.asObservable(), gives: [1, 2], then: .open)
    expect(maybe.2.asObservable(), gives: [1, 2], then: .open)
}
