import Foundation
import Rx
import RxFoundation
import RxTest

extension ObservableType {
    func unwrapped<T>() -> Observable<T> where Element == T? {
        compactMap { $0 }
    }

    func mapped<R>(_ transform: @escaping (Element) throws -> R) -> Observable<R> {
        Observable.create { observer in
            self.subscribe { event in
                switch event {
                case .next(let value):
                    do {
                        try observer.on(.next(transform(value)))
                    } catch let e {
                        observer.on(.error(e))
                    }
                case .error(let error): observer.on(.error(error))
                case .completed: observer.on(.completed)
                }
            }
        }
    }

    func passing(_ predicate: @escaping (Self.Element) -> Bool) -> Observable<Self.Element> {
        asObservable().filter(predicate)
    }

    func withPrevious() -> Observable<(Element?, Element)> {
        scan((nil, nil) as (Element?, Element?)) { ($0.1, $1) }.map { ($0.0, $0.1!) }
    }

    func asVoid() -> Observable<Void> { map { _ in () } }
}

extension ObservableType where Element == Bool {
    func inverted() -> Observable<Bool> { map { !$0 } }
}

extension ObservableType where Element: Sequence {
    func mapEach<T>(_ transform: @escaping (Element.Element) -> T) -> Observable<[T]> {
        map { $0.map(transform) }
    }
}

extension ObservableConvertibleType {
    func orNever() -> Observable<Element> { asObservable().catch { _ in .never() } }
}

extension PrimitiveSequenceType where Trait == SingleTrait {
    func asResult() -> Single<Result<Element, Error>> {
        primitiveSequence.map { .success($0) }.catch { .just(.failure($0)) }
    }
}

extension PrimitiveSequence where Trait == MaybeTrait {
    func orDefault(_ value: Element) -> Single<Element> { ifEmpty(default: value) }
}

extension PrimitiveSequence where Trait == CompletableTrait, Element == Never {
    func logged(_ log: @escaping (String) -> Void) -> Completable {
        self.do(onError: { log("\($0)") }, onCompleted: { log("completed") })
    }
}

extension InfallibleType {
    func passing(_ predicate: @escaping (Element) -> Bool) -> Infallible<Element> { filter(predicate) }
}

func ownOperators() {
    expect(Observable.of(1, nil, 3).unwrapped(), gives: [1, 3])
    expect(Observable.of(1, 2).mapped { $0 + 1 }, gives: [2, 3])
    expect(Observable.of(1, 2).passing { $0 > 1 }, gives: [2])
    expect(Observable.of(1, 2).withPrevious().map { "\($0 ?? 0)\($1)" }, gives: ["01", "12"])
    expect(Observable.of(true).inverted(), gives: [false])
    expect(Observable.of([1, 2]).mapEach { $0 * 2 }, gives: [[2, 4]])
    expect(Observable.of(1, 2).asVoid().map { 1 }, gives: [1, 1])
    expect(Single<Int>.error(Failure.one).asResult().map { (try? $0.get()) ?? 7 }, gives: [7])
    expect(Maybe<Int>.empty().orDefault(3), gives: [3])
    expect(Infallible.of(1, 2).passing { $0 > 1 }, gives: [2])
    expect(Single<Int>.error(Failure.one).orNever(), gives: [], then: .open)
    var log: [String] = []
    Completable.empty().logged { log.append($0) }.subscribe().dispose()
    check(log, ["completed"])
}

class Collector<Value>: ObserverType {
    typealias Element = Value
    var events: [Event<Value>] = []

    func on(_ event: Event<Value>) { events.append(event) }
}

class Repeating<Value>: ObservableType {
    typealias Element = Value
    var value: Value

    init(_ value: Value) { self.value = value }

    func subscribe<Observer>(_ observer: Observer) -> Disposable
    where Observer: ObserverType, Observer.Element == Value {
        observer.on(.next(value))
        observer.on(.next(value))
        observer.on(.completed)
        return Disposables.create()
    }
}

class OnceDisposable: Cancelable {
    private(set) var isDisposed = false
    let action: () -> Void

    init(_ action: @escaping () -> Void) { self.action = action }

    func dispose() {
        if isDisposed { return }
        isDisposed = true
        action()
    }
}

class DoublingSubject: SubjectType, ObserverType {
    typealias Element = Int
    typealias Observer = DoublingSubject
    private let subject = PublishSubject<Int>()
    var received = 0

    func on(_ event: Event<Int>) {
        received += 1
        subject.on(event.map { $0 * 2 })
    }

    func asObserver() -> DoublingSubject { self }

    func subscribe<Observer: ObserverType>(_ observer: Observer) -> Disposable where Observer.Element == Int {
        subject.subscribe(observer)
    }
}

/// A scheduler written without a constraint on its states.
class CountingScheduler: SchedulerType {
    var scheduled = 0
    var now: RxTime { Date() }

    func schedule<StateType>(_ state: StateType, action: @escaping (StateType) -> Disposable) -> Disposable {
        scheduled += 1
        return action(state)
    }

    func scheduleRelative<StateType>(
        _ state: StateType, dueTime: RxTimeInterval, action: @escaping (StateType) -> Disposable
    ) -> Disposable {
        scheduled += 1
        return action(state)
    }

    func schedulePeriodic<StateType>(
        _ state: StateType, startAfter: RxTimeInterval, period: RxTimeInterval,
        action: @escaping (StateType) -> StateType
    ) -> Disposable {
        scheduled += 1
        _ = action(state)
        return Disposables.create()
    }
}

class ImmediateScheduler: ImmediateSchedulerType {
    var scheduled = 0

    func schedule<StateType>(_ state: StateType, action: @escaping (StateType) -> Disposable) -> Disposable {
        scheduled += 1
        return action(state)
    }
}

class MinuteScheduler: VirtualTimeScheduler<MinuteConverter> {
    init() { super.init(initialClock: 0, converter: MinuteConverter()) }

    override func adjustScheduledTime(_ time: VirtualTime) -> VirtualTime { max(time, clock + 1) }
}

class MinuteConverter: VirtualTimeConverterType {
    typealias VirtualTimeUnit = Int
    typealias VirtualTimeIntervalUnit = Int

    func convertFromVirtualTime(_ virtualTime: VirtualTimeUnit) -> RxTime {
        Date(timeIntervalSince1970: TimeInterval(virtualTime) * 60)
    }

    func convertToVirtualTime(_ time: RxTime) -> VirtualTimeUnit { Int(time.timeIntervalSince1970 / 60) }

    func convertFromVirtualTimeInterval(_ virtualTimeInterval: VirtualTimeIntervalUnit) -> TimeInterval {
        TimeInterval(virtualTimeInterval) * 60
    }

    func convertToVirtualTimeInterval(_ timeInterval: TimeInterval) -> VirtualTimeIntervalUnit {
        Int(timeInterval / 60)
    }

    func offsetVirtualTime(_ time: VirtualTimeUnit, offset: VirtualTimeIntervalUnit) -> VirtualTimeUnit {
        time + offset
    }

    func compareVirtualTime(_ lhs: VirtualTimeUnit, _ rhs: VirtualTimeUnit) -> VirtualTimeComparison {
        lhs < rhs ? .lessThan : (lhs > rhs ? .greaterThan : .equal)
    }
}

func ownConformances() {
    let collector = Collector<String>()
    _ = Repeating("x").subscribe(collector)
    check(collector.events.count, 3)
    expect(Repeating(1), gives: [1, 1])
    expect(Repeating(1).map { $0 + 1 }.take(1), gives: [2])
    let document = Collector<Document>()
    document.onNext(Document(title: "title"))
    check(document.events.first?.element?.title, "title")

    var disposed = 0
    let once = OnceDisposable { disposed += 1 }
    once.dispose()
    once.dispose()
    check(disposed, 1)
    check(once.isDisposed, true)

    let subject = DoublingSubject()
    expect(Observable.of(1, 2).multicast(subject).refCount(), gives: [2, 4])
    check(subject.received, 3)

    let scheduler = CountingScheduler()
    expect(Observable.of(1, 2).observe(on: scheduler), gives: [1, 2])
    expect(Observable<Int>.timer(.seconds(3), scheduler: scheduler), gives: [0])
    check(scheduler.scheduled > 1, true)
    let immediate = ImmediateScheduler()
    expect(Observable.of(1, 2, scheduler: immediate), gives: [1, 2])
    expect(Observable.of(1, 2).subscribe(on: immediate), gives: [1, 2])
    check(immediate.scheduled > 1, true)

    let minutes = MinuteScheduler()
    var times: [Int] = []
    _ = Observable<Int>.interval(.seconds(120), scheduler: minutes).take(2).subscribe(onNext: { _ in
        times.append(minutes.clock)
    })
    minutes.start()
    check(times, [2, 4])
}

/// A view, known to be used from the main thread only.
class Button: NSObject {
    var title: String?
    var isEnabled = false
    fileprivate let taps = PublishSubject<Void>()

    func tap() { taps.onNext(()) }
}

extension Reactive where Base: Button {
    var tap: Observable<Void> { base.taps.asObservable() }

    var label: Binder<String?> {
        Binder(self.base) { button, title in
            button.title = title
        }
    }
}

class Form: ReactiveCompatible {
    let button = Button()
    var count = 0
    let disposeBag = DisposeBag()

    init() {
        button.rx.tap
            .map { [unowned self] in self.count + 1 }
            .do(onNext: { self.count = $0 })
            .map { "\($0) taps" }
            .subscribe(button.rx.label)
            .disposed(by: disposeBag)
        Observable.just(true).subscribe(button.rx.isEnabled).disposed(by: disposeBag)
    }
}

extension Reactive where Base == Form {
    var count: Observable<Int> { Observable.deferred { .just(self.base.count) } }
}

/// A controller of a user interface. What runs elsewhere states that it is on the main actor: to touch its state
/// directly from a closure handed to an operator is an error in both modes.
@MainActor class MainController {
    var text = ""
    var lengths: [Int] = []
    let disposeBag = DisposeBag()
    let input = PublishSubject<String>()

    func bind() {
        input.observe(on: MainScheduler.instance)
            .subscribe(onNext: { [weak self] text in
                MainActor.assumeIsolated { self?.show(text) }
            })
            .disposed(by: disposeBag)
        input.map { $0.count }.subscribe(
            Binder(self) { controller, length in
                MainActor.assumeIsolated { controller.lengths.append(length) }
            }
        )
        .disposed(by: disposeBag)
    }

    private func show(_ text: String) { self.text = text }
}

func ownReactives() {
    let form = Form()
    form.button.tap()
    form.button.tap()
    check(form.button.title, "2 taps")
    check(form.button.isEnabled, true)
    expect(form.rx.count, gives: [2])
    MainActor.assumeIsolated {
        let controller = MainController()
        controller.bind()
        controller.input.onNext("hello")
        check(controller.text, "hello")
        check(controller.lengths, [5])
    }
}
