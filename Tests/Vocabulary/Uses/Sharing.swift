import Rx

func sharing() {
    let numbers = Observable.of(1, 2)
    let log = Log<Int>()
    let bag = DisposeBag()

    expect(numbers.share(), gives: [1, 2])
    expect(numbers.share(replay: 1), gives: [1, 2])
    expect(numbers.share(replay: 1, scope: .whileConnected), gives: [1, 2])
    expect(numbers.share(replay: 1, scope: SubjectLifetimeScope.forever), gives: [1, 2])

    let published = numbers.publish()
    published.subscribe(onNext: { log.append($0) }).disposed(by: bag)
    check(log.entries, [])
    published.connect().disposed(by: bag)
    check(log.entries, [1, 2])

    let open = Observable.concat(numbers, .never())
    let replayed: ConnectableObservable<Int> = open.replay(1)
    replayed.connect().disposed(by: bag)
    expect(replayed, gives: [2], then: .open)
    let all = open.replayAll()
    all.connect().disposed(by: bag)
    expect(all, gives: [1, 2], then: .open)
    expect(numbers.publish().refCount(), gives: [1, 2])
    expect(counted(numbers.replay(1)), gives: [1, 2])

    let multicast = numbers.multicast(PublishSubject<Int>())
    multicast.subscribe(onNext: { log.append($0) }).disposed(by: bag)
    multicast.connect().disposed(by: bag)
    expect(numbers.multicast(makeSubject: { ReplaySubject<Int>.create(bufferSize: 1) }).refCount(), gives: [1, 2])
    expect(numbers.multicast(makeSubject: PublishSubject.init).refCount(), gives: [1, 2])
    expect(
        numbers.multicast({ PublishSubject<Int>() }, selector: { shared in shared.map { $0 + 1 } }), gives: [2, 3])
    expect(numbers.multicast({ PublishSubject<Int>() }) { Observable.zip($0, $0.skip(1)) { $0 + $1 } }, gives: [3])
    check(log.entries, [1, 2, 1, 2])
}

func counted<Connectable: ConnectableObservableType>(_ source: Connectable) -> Observable<Connectable.Element> {
    let connection: @Sendable () -> any Disposable = { source.connect() }
    _ = connection
    return source.refCount()
}

func subjects() {
    let keeper = Keeper<Int>()
    let published = PublishSubject<Int>()
    check(published.hasObservers, false)
    let first = published.subscribe(keeper)
    check(published.hasObservers, true)
    published.onNext(1)
    published.on(.next(2))
    published.asObserver().onNext(3)
    first.dispose()
    published.onCompleted()
    check(keeper.log.entries, ["next(1)", "next(2)", "next(3)"])
    published.dispose()
    check(published.isDisposed, true)

    let behavior = BehaviorSubject(value: 1)
    let second = behavior.subscribe(keeper)
    behavior.on(.next(2))
    behavior.asObserver().onNext(3)
    check(try? behavior.value(), 3)
    check(behavior.hasObservers, true)
    second.dispose()
    behavior.dispose()
    check(behavior.isDisposed, true)
    do {
        _ = try behavior.value()
        check(false, true)
    } catch {
        check("\(error)".isEmpty, false)
    }

    let replayed = ReplaySubject<Int>.create(bufferSize: 2)
    replayed.onNext(1)
    replayed.on(.next(2))
    replayed.asObserver().onNext(3)
    expect(replayed, gives: [2, 3], then: .open)
    check(replayed.hasObservers, false)
    replayed.dispose()
    check(replayed.isDisposed, true)
    let all = ReplaySubject<Int>.createUnbounded()
    all.onNext(1)
    all.onCompleted()
    expect(all, gives: [1])

    let last = AsyncSubject<Int>()
    let third = last.subscribe(keeper)
    check(last.hasObservers, true)
    last.on(.next(1))
    last.asObserver().onNext(2)
    last.onCompleted()
    third.dispose()
    expect(last, gives: [2])
    check(keeper.log.entries.suffix(5), ["next(1)", "next(2)", "next(3)", "next(2)", "completed"])

    let observers:
        (
            PublishSubject<Int>.SubjectObserverType, BehaviorSubject<Int>.SubjectObserverType,
            ReplaySubject<Int>.SubjectObserverType, AsyncSubject<Int>.SubjectObserverType
        ) = (PublishSubject(), BehaviorSubject(value: 0), .create(bufferSize: 1), AsyncSubject())
    observers.0.onCompleted()

    expect(Observable.of(1, 2).multicast(OwnSubject()).refCount(), gives: [2, 4])
    send(7, to: replayedAgain)
    expect(replayedAgain, gives: [7], then: .open)
}

let replayedAgain = ReplaySubject<Int>.create(bufferSize: 1)

func send<Subject: SubjectType>(_ element: Int, to subject: Subject) where Subject.Observer.Element == Int {
    let observer: Subject.Observer = subject.asObserver()
    observer.onNext(element)
}

/// A subject of the client's own: doubles what it receives.
final class OwnSubject: SubjectType, ObserverType {
    typealias Element = Int
    typealias Observer = OwnSubject

    private let subject = PublishSubject<Int>()

    func on(_ event: Event<Int>) { subject.on(event.map { $0 * 2 }) }
    func asObserver() -> OwnSubject { self }

    func subscribe<Subscriber: ObserverType>(_ observer: Subscriber) -> any Disposable
    where Subscriber.Element == Int {
        subject.subscribe(observer)
    }
}
