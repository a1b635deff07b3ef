import Rx

/// An observer with mutable state and no lock.
class Recorder<Element>: ObserverType {
    var recorded: [Element] = []
    var isStopped = false

    func on(_ event: Event<Element>) {
        switch event {
        case .next(let element): recorded.append(element)
        case .error, .completed: isStopped = true
        }
    }
}

/// A disposable that counts.
class CountingDisposable: Disposable {
    var count = 0
    func dispose() { count += 1 }
}

/// An observable type with a stored closure.
struct Wrapped<Element>: ObservableType {
    let source: Observable<Element>
    var onSubscribe: () -> Void

    func subscribe<Observer: ObserverType>(_ observer: Observer) -> Disposable where Observer.Element == Element {
        onSubscribe()
        return source.subscribe(observer)
    }
}

/// A scheduler that keeps its work until it is flushed.
class ManualScheduler: ImmediateSchedulerType {
    private var work: [() -> Void] = []

    func schedule<StateType>(_ state: StateType, action: @escaping (StateType) -> Disposable) -> Disposable {
        let disposable = SingleAssignmentDisposable()
        work.append {
            if !disposable.isDisposed { disposable.setDisposable(action(state)) }
        }
        return disposable
    }

    func flush() {
        while !work.isEmpty { work.removeFirst()() }
    }
}

/// Own operators, as in every app's folder of extensions.
extension ObservableType {
    func unwrap<Result>() -> Observable<Result> where Element == Result? {
        compactMap { $0 }
    }

    func mapTo<Result>(_ value: Result) -> Observable<Result> {
        map { _ in value }
    }

    func withPrevious() -> Observable<(Element?, Element)> {
        scan((nil, nil) as (Element?, Element?)) { ($0.1, $1) }
            .flatMap { previous, current -> Observable<(Element?, Element)> in
                current.map { .just((previous, $0)) } ?? .empty()
            }
    }

    func logged(_ log: @escaping (Element) -> Void) -> Observable<Element> {
        Observable.create { observer in
            self.subscribe { event in
                if case .next(let element) = event { log(element) }
                observer.on(event)
            }
        }
    }
}

/// Counts what is under way, with the relay and the lock of the RxSwift examples.
class ActivityIndicator: ObservableConvertibleType {
    typealias Element = Bool

    private let relay = BehaviorRelay(value: 0)
    private(set) lazy var loading = relay.asObservable().map { $0 > 0 }.distinctUntilChanged()

    func track<Source: ObservableConvertibleType>(_ source: Source) -> Observable<Source.Element> {
        Observable.using { () -> ActivityToken in
            self.relay.accept(self.relay.value + 1)
            return ActivityToken { self.relay.accept(self.relay.value - 1) }
        } observableFactory: { _ in
            source.asObservable()
        }
    }

    func asObservable() -> Observable<Bool> { loading }
}

struct ActivityToken: Disposable {
    let action: () -> Void
    func dispose() { action() }
}

func ownConformances() {
    let recorder = Recorder<Article>()
    let disposable = CountingDisposable()
    var subscriptions = 0
    let articles = Observable.of(Article(id: 1, title: "a"), Article(id: 2, title: "b"))
    let wrapped = Wrapped(source: articles) { subscriptions += 1 }
    wrapped.subscribe(recorder).dispose()
    wrapped.asObservable().map(\.title).subscribe(AnyObserver { _ in subscriptions += 1 }).dispose()
    check(recorder.recorded.map(\.id), [1, 2])
    check(recorder.isStopped, true)
    check(subscriptions, 5)
    CompositeDisposable(disposable, disposable).dispose()
    check(disposable.count > 0, true)

    let scheduler = ManualScheduler()
    var seen: [Int] = []
    let subscription = Observable.of(1, 2).observe(on: scheduler).subscribe(onNext: { seen.append($0) })
    check(seen, [])
    scheduler.flush()
    check(seen, [1, 2])
    subscription.dispose()

    var logged: [Int] = []
    expect(Observable.of(1, nil, 3).unwrap().logged { logged.append($0) }.mapTo("x"), gives: ["x", "x"])
    check(logged, [1, 3])
    expect(Observable.of(1, 2).withPrevious().map { "\($0 ?? 0)\($1)" }, gives: ["01", "12"])

    let activity = ActivityIndicator()
    var levels: [Bool] = []
    let levelsSubscription = activity.asObservable().subscribe(onNext: { levels.append($0) })
    activity.track(articles).subscribe().dispose()
    levelsSubscription.dispose()
    check(levels, [false, true, false])
}
