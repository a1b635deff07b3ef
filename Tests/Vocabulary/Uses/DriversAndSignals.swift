import Dispatch
import Rx
import RxTest
import RxTraits

/// A view model and its view as RxCocoa's users write them.
@MainActor
private final class GreetingForm {
    var title = ""
    var taps = 0
    private let bag = DisposeBag()

    func bind(_ name: ControlProperty<String?>, _ tap: ControlEvent<Void>) {
        let greeting = name.orEmpty.asDriver().map { "Hello, " + $0 }.distinctUntilChanged()
        greeting.drive(onNext: { self.title = $0 }).disposed(by: bag)
        greeting.drive(onNext: show).disposed(by: bag)
        tap.asSignal().emit(with: self, onNext: { form, _ in form.taps += 1 }).disposed(by: bag)
        tap.subscribe(onNext: { [weak self] in self?.taps += 10 }).disposed(by: bag)
        tap.bind { self.taps += 100 }.disposed(by: bag)
    }

    private func show(_ text: String) {}
}

@MainActor
func driversAndSignals() {
    forms()
    conversions()
    drivenTargets()
    emittedTargets()
    sharedOperators()
    sharedCombinations()
    ownStrategy()
}

@MainActor
private func forms() {
    let (text, taps) = (BehaviorRelay<String?>(value: nil), PublishRelay<Void>())
    let sink = AnyObserver<String?> { _ in }
    let form = GreetingForm()
    let name = ControlProperty(values: text, valueSink: sink)
    let tap = ControlEvent(events: taps)
    form.bind(name, tap)
    text.accept("Ada")
    taps.accept(())
    check(form.title, "Hello, Ada")
    check(form.taps, 111)
    let bag = DisposeBag()
    let log = Log<String>()
    name.asControlProperty().changed.asControlEvent().asObservable().subscribe(sink).disposed(by: bag)
    name.asObservable().subscribe(sink).disposed(by: bag)
    name.subscribe(sink).disposed(by: bag)
    observe(name, tap, in: bag)
    tap.asDriver().drive(onNext: { log.append("tap") }).disposed(by: bag)
    name.on(.next("x"))
    taps.accept(())
    check(log.entries, ["tap"])
}

/// The elements of a sequence that is created and run within a mock.
private func elements<Strategy, Element>(_ make: () -> SharedSequence<Strategy, Element>) -> [Element] {
    let log = Log<Element>()
    let scheduler = TestScheduler(initialClock: 0, simulateProcessingDelay: false)
    SharingScheduler.mock(scheduler: scheduler) {
        let subscription = make().asObservable().subscribe(onNext: { log.append($0) })
        scheduler.advanceTo(100)
        subscription.dispose()
    }
    return log.entries
}

private func conversions() {
    let failing = Observable<Int>.error(RxError.unknown)
    check(elements { failing.asDriver(onErrorJustReturn: 1) }, [1])
    check(elements { failing.asDriver(onErrorDriveWith: .just(2)) }, [2])
    check(elements { failing.asDriver(onErrorRecover: { _ in .just(3) }) }, [3])
    check(elements { failing.asSignal(onErrorJustReturn: 1) }, [1])
    check(elements { failing.asSignal(onErrorSignalWith: .just(2)) }, [2])
    check(elements { failing.asSignal(onErrorRecover: { _ in .just(3) }) }, [3])
    check(elements { BehaviorRelay(value: 1).asDriver().asDriver().asSharedSequence() }, [1])
    check(elements { PublishRelay<Int>().asSignal().asSignal() }, [])
    check(elements { Infallible.just(1).asDriver() }, [1])
    check(elements { Single.just(1).asDriver(onErrorJustReturn: 0) }, [1])
    let make: @Sendable () -> any SchedulerType = { MainScheduler.instance }
    SharingScheduler.mock(makeScheduler: make) { check(SharingScheduler.make() is MainScheduler, true) }
}

@MainActor
private func drivenTargets() {
    let driver = BehaviorRelay(value: 1).asDriver()
    let bag = DisposeBag()
    let subject = BehaviorSubject<Int?>(value: nil)
    let (relay, optional) = (BehaviorRelay(value: 0), BehaviorRelay<Int?>(value: nil))
    driver.drive(relay).disposed(by: bag)
    driver.drive(optional).disposed(by: bag)
    driver.drive(ReplayRelay<Int>.createUnbound(), ReplayRelay<Int>.createUnbound()).disposed(by: bag)
    driver.drive(subject).disposed(by: bag)
    driver.drive(AnyObserver<Int> { _ in }).disposed(by: bag)
    driver.drive().disposed(by: bag)
    driver.drive({ source in source.subscribe() }).disposed(by: bag)
    driver.drive({ _ in { count in check(count, 2) } }, curriedArgument: 2)
    check(relay.value, 1)
    check(optional.value, 1)
}

@MainActor
private func emittedTargets() {
    let relay = PublishRelay<Int>()
    let signal = relay.asSignal()
    let bag = DisposeBag()
    let (behavior, optional) = (BehaviorRelay(value: 0), BehaviorRelay<Int?>(value: nil))
    signal.emit(to: behavior).disposed(by: bag)
    signal.emit(to: optional).disposed(by: bag)
    signal.emit(to: PublishRelay<Int>(), PublishRelay<Int>()).disposed(by: bag)
    signal.emit(to: ReplayRelay<Int>.createUnbound()).disposed(by: bag)
    signal.emit(to: AnyObserver<Int> { _ in }).disposed(by: bag)
    signal.emit(onNext: { check($0, 1) }, onCompleted: {}, onDisposed: {}).disposed(by: bag)
    signal.emit().disposed(by: bag)
    relay.accept(1)
    check(behavior.value, 1)
    check(optional.value, 1)
}

private func sharedOperators() {
    check(elements { Driver.of(1, 2, 3).filter { $0 > 1 }.map { $0 * 10 } }, [20, 30])
    check(elements { Driver.from(["1", "x"]).compactMap { Int($0) } }, [1])
    check(elements { Driver.from([1, 2]).scan(0) { $0 + $1 }.startWith(9).skip(1) }, [1, 3])
    check(elements { Driver.of(1, 1, 2).distinctUntilChanged() }, [1, 2])
    check(elements { Driver.of(1, 3, 2).distinctUntilChanged { $0 % 2 } }, [1, 2])
    check(elements { Driver.of(1, 3, 2).distinctUntilChanged { $0 % 2 == $1 % 2 } }, [1, 2])
    check(elements { Driver.of(1, 3, 2).distinctUntilChanged({ $0 % 2 }, comparer: ==) }, [1, 2])
    check(elements { Driver.just(1).flatMap { Driver.just($0 + 1) } }, [2])
    check(elements { Driver.just(1).flatMapLatest { .just($0 + 1) } as Driver<Int> }, [2])
    check(elements { Driver.just(1).flatMapFirst { Signal.just($0 + 1) } }, [2])
    check(elements { Driver.just(Driver.just(1)).switchLatest() }, [1])
    check(elements { Driver.just(Driver.just(1)).merge() }, [1])
    check(elements { Driver.just(Driver.just(1)).merge(maxConcurrent: 1) }, [1])
    check(elements { Driver.just(1).do(onNext: { check($0, 1) }).delay(.seconds(1)) }, [1])
    check(elements { Driver.just(1).throttle(.seconds(1)).throttle(.seconds(1), latest: false) }, [1])
    check(elements { Driver.just(1).debounce(.seconds(1)) }, [1])
    check(elements { Driver<Int>.interval(.seconds(40)) }, [0, 1])
    check(elements { Driver<Int>.timer(.seconds(1), period: .seconds(90)) }, [0, 1])
    check(elements { Driver<Int>.empty() }, [])
    check(elements { Driver<Int>.never() }, [])
    check(elements { Driver.deferred { .just(1) } }, [1])
    check(elements { Signal.from(optional: 1) }, [1])
}

private func sharedCombinations() {
    check(elements { Driver.merge(.just(1), .just(2)) }, [1, 2])
    check(elements { Driver.concat([.just(1), .just(2)]) }, [1, 2])
    check(elements { Driver.combineLatest(Driver.just(1), Driver.just("a")) { "\($0)\($1)" } }, ["1a"])
    check(elements { Driver.combineLatest(Driver.just(1), Driver.just(2), Driver.just(3)) { $0 + $1 + $2 } }, [6])
    check(elements { Driver.combineLatest(Driver.just(1), Driver.just(2)).map { $0 + $1 } }, [3])
    check(elements { Driver.combineLatest([.just(1), .just(2)]) }, [[1, 2]])
    check(elements { Driver.combineLatest([.just(1), .just(2)]) { $0.count } }, [2])
    check(elements { Driver.zip(Driver.just(1), Driver.just("a")) { "\($0)\($1)" } }, ["1a"])
    check(elements { Driver.zip(Driver.just(1), Driver.just(2)).map { $0 + $1 } }, [3])
    check(elements { Driver.zip([.just(1), .just(2)]) }, [[1, 2]])
    check(elements { Driver.just(1).withLatestFrom(Driver.just(2)) }, [2])
    check(elements { Driver.just(1).withLatestFrom(Driver.just(2)) { $0 + $1 } }, [3])
}

/// A strategy that shares as signals do, on the scheduler of drivers.
private struct OwnStrategy: SharingStrategyProtocol {
    static var scheduler: any SchedulerType { DriverSharingStrategy.scheduler }

    static func share<Element: Sendable>(_ source: Observable<Element>) -> Observable<Element> {
        SignalSharingStrategy.share(source)
    }
}

private func doubled<Source: SharedSequenceConvertibleType>(
    _ source: Source
) -> SharedSequence<Source.SharingStrategy, Int> where Source.Element == Int {
    source.map { $0 * 2 }
}

@MainActor
private func observe<Property: ControlPropertyType, Trigger: ControlEventType>(
    _ property: Property, _ trigger: Trigger, in bag: DisposeBag
) {
    property.asControlProperty().subscribe { _ in }.disposed(by: bag)
    trigger.asControlEvent().subscribe { _ in }.disposed(by: bag)
}

func ownStrategy() {
    let failing = Observable<Int>.error(RxError.unknown)
    check(elements { doubled(failing.asSharedSequence(sharingStrategy: OwnStrategy.self, onErrorJustReturn: 1)) }, [2])
}

@MainActor
func driverValues() async {
    var found: [Int] = []
    for await number in Driver.of(1, 2).values { found.append(number) }
    check(found, [1, 2])
}

/// `bind` of infallible sequences, which RxCocoa adds as well.
func infallibleBindings() {
    let bag = DisposeBag()
    let log = Log<Int>()
    let numbers = Infallible.of(1, 2)
    let (relay, optional) = (BehaviorRelay(value: 0), BehaviorRelay<Int?>(value: nil))
    numbers.bind(to: relay).disposed(by: bag)
    numbers.bind(to: optional).disposed(by: bag)
    numbers.bind(to: PublishRelay<Int>(), PublishRelay<Int>()).disposed(by: bag)
    numbers.bind(to: PublishRelay<Int?>()).disposed(by: bag)
    numbers.bind(to: ReplayRelay<Int>.createUnbound()).disposed(by: bag)
    numbers.bind(to: ReplayRelay<Int?>.createUnbound()).disposed(by: bag)
    numbers.bind(to: AnyObserver<Int> { _ in }, AnyObserver<Int> { _ in }).disposed(by: bag)
    numbers.bind(to: AnyObserver<Int?> { _ in }).disposed(by: bag)
    numbers.bind(onNext: { log.append($0) }).disposed(by: bag)
    numbers.bind(with: log, onNext: { $0.append($1) }).disposed(by: bag)
    check(numbers.bind(to: { _ in { $0 + 1 } }, curriedArgument: 1), 2)
    check(relay.value, 2)
    check(optional.value, 2)
    check(log.entries, [1, 2, 1, 2])
}
