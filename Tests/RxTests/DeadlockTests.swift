import Dispatch
import Rx
import Testing
import TestSupport

/// One case at a time: each keeps several threads busy.
///
/// The classic inversion: one thread holds a lock of the application and calls into the library; another is called by
/// the library and waits for that lock. It is a deadlock if the library holds a lock of its own in the call.
@Suite("No deadlock with locks of the application", .leakFree, .serialized)
struct DeadlockTests {
    private static let rounds = 2_000

    /// An operator over two sources whose closures take the lock.
    struct Case: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let make: @Sendable (Observable<Int>, Observable<Int>, ApplicationLock) -> Observable<Int>

        init(
            _ name: String,
            _ make: @escaping @Sendable (Observable<Int>, Observable<Int>, ApplicationLock) -> Observable<Int>
        ) {
            testDescription = name
            self.make = make
        }
    }

    static let serial = SerialDispatchQueueScheduler(internalSerialQueueName: "deadlock")
    static let concurrent = ConcurrentDispatchQueueScheduler(qos: .default)

    static let cases: [Case] = [
        Case("share") { a, _, _ in a.share() },
        Case("share(replay: 1)") { a, _, _ in a.share(replay: 1) },
        Case("share(replay: 3)") { a, _, _ in a.share(replay: 3) },
        Case("share(replay: 1, scope: .forever)") { a, _, _ in a.share(replay: 1, scope: .forever) },
        Case("publish, refCount") { a, _, _ in a.publish().refCount() },
        Case("replay, refCount") { a, _, _ in a.replay(2).refCount() },
        Case("multicast, makeSubject, refCount") { a, _, lock in
            a.multicast {
                lock.touch()
                return PublishSubject<Int>()
            }.refCount()
        },
        Case("multicast, selector") { a, b, lock in
            a.multicast({ PublishSubject<Int>() }, selector: { Observable.merge($0, b) })
        },
        Case("groupBy") { a, _, lock in
            a.groupBy {
                lock.touch()
                return $0 % 3
            }.flatMap { $0 }
        },
        Case("merge") { a, b, _ in Observable.merge(a, b) },
        Case("combineLatest") { a, b, lock in
            Observable.combineLatest(a, b) {
                lock.touch()
                return $0 + $1
            }
        },
        Case("withLatestFrom") { a, b, lock in
            a.withLatestFrom(b) {
                lock.touch()
                return $0 + $1
            }
        },
        Case("concat") { a, b, _ in a.take(1).concat(b) },
        Case("concatMap") { a, b, lock in
            a.concatMap { _ in
                lock.touch()
                return b.take(1)
            }
        },
        Case("flatMap") { a, b, lock in
            a.flatMap { _ in
                lock.touch()
                return b.take(1)
            }
        },
        Case("flatMapLatest") { a, b, lock in
            a.flatMapLatest { element in
                lock.touch()
                return b.startWith(element)
            }
        },
        Case("flatMapFirst") { a, b, _ in a.flatMapFirst { _ in b.take(2) } },
        Case("switchLatest") { a, b, _ in a.map { $0 % 2 == 0 ? a : b }.switchLatest() },
        Case("merge(maxConcurrent:)") { a, b, _ in
            a.map { _ in b.take(1) }.merge(maxConcurrent: 2)
        },
        Case("zip") { a, b, lock in
            Observable.zip(a, b) {
                lock.touch()
                return $0 + $1
            }
        },
        Case("amb") { a, b, _ in a.amb(b) },
        Case("sample") { a, b, _ in a.sample(b) },
        Case("buffer") { a, _, _ in
            a.buffer(timeSpan: .microseconds(50), count: 3, scheduler: serial).map(\.count)
        },
        Case("window") { a, _, _ in
            a.window(timeSpan: .microseconds(50), count: 3, scheduler: serial).flatMap { $0 }
        },
        Case("debounce") { a, _, _ in a.debounce(.microseconds(20), scheduler: serial) },
        Case("throttle") { a, _, _ in a.throttle(.microseconds(20), scheduler: serial) },
        Case("delay") { a, _, _ in a.delay(.microseconds(20), scheduler: serial) },
        Case("timeout") { a, b, _ in a.timeout(.microseconds(50), other: b, scheduler: serial) },
        Case("retry(when:)") { a, b, lock in
            a.map { (element: Int) throws -> Int in throw Oops() }.retry { errors in
                errors.flatMap { (_: any Error) in
                    lock.touch()
                    return b.take(1)
                }
            }
        },
        Case("take(until:)") { a, b, _ in a.take(until: b) },
        Case("catch") { a, b, lock in
            a.map { (element: Int) throws -> Int in throw Oops() }.catch { _ in
                lock.touch()
                return b
            }
        },
        Case("scan, do") { a, _, lock in
            a.scan(0) {
                lock.touch()
                return $0 + $1
            }.do(onNext: { _ in lock.touch() }, onSubscribe: { lock.touch() }, onDispose: { lock.touch() })
        },
        Case("observe(on:), serial") { a, _, _ in a.observe(on: serial) },
        Case("observe(on:), concurrent") { a, _, _ in a.observe(on: concurrent) },
        Case("subscribe(on:)") { a, _, _ in a.subscribe(on: serial) },
        Case("create") { a, _, lock in
            Observable.create { observer in
                lock.touch()
                let subscription = a.subscribe(observer)
                return Disposables.create {
                    lock.touch()
                    subscription.dispose()
                }
            }
        },
        Case("using a disposable that is scheduled") { a, _, lock in
            Observable.create { observer in
                ScheduledDisposable(
                    scheduler: CurrentThreadScheduler.instance,
                    disposable: RefCountDisposable(
                        disposable: CompositeDisposable(
                            a.subscribe(observer), Disposables.create { lock.touch() })))
            }
        },
    ]

    @Test(
        "subscribing, disposing and sending through an operator, with a lock held that its closures take",
        arguments: cases)
    func operators(_ case: Case) async {
        let lock = ApplicationLock()
        let left = PublishSubject<Int>(), right = PublishSubject<Int>()
        let chain = `case`.make(
            left.do(onDispose: { lock.touch() }), right.do(onDispose: { lock.touch() }), lock
        ).map { element in
            lock.touch()
            return element
        }
        let resident = chain.subscribe(onNext: { _ in lock.touch() })
        let isThrough = await race(
            rounds: DeadlockTests.rounds,
            { round in
                lock.hold {
                    let subscription = chain.subscribe(
                        onNext: { _ in lock.touch() }, onDisposed: { lock.touch() })
                    right.onNext(round)
                    subscription.dispose()
                }
            },
            { round in
                left.onNext(round)
                if round % 7 == 0 { chain.subscribe(onNext: { _ in lock.touch() }).dispose() }
            })
        #expect(isThrough, "\(`case`) hangs")
        resident.dispose()
        left.onCompleted()
        right.onCompleted()
    }

    struct SubjectCase: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let make: @Sendable () -> (Observable<Int>, AnyObserver<Int>)
    }

    static let subjects: [SubjectCase] = [
        SubjectCase(testDescription: "PublishSubject") {
            let subject = PublishSubject<Int>()
            return (subject, AnyObserver(subject))
        },
        SubjectCase(testDescription: "BehaviorSubject") {
            let subject = BehaviorSubject(value: 0)
            return (subject, AnyObserver(subject))
        },
        SubjectCase(testDescription: "ReplaySubject") {
            let subject = ReplaySubject<Int>.create(bufferSize: 3)
            return (subject, AnyObserver(subject))
        },
        SubjectCase(testDescription: "AsyncSubject") {
            let subject = AsyncSubject<Int>()
            return (subject, AnyObserver(subject))
        },
    ]

    @Test(
        "subscribing to, disposing and sending to a subject, with a lock held that its observers take",
        arguments: subjects)
    func subject(_ case: SubjectCase) async {
        let lock = ApplicationLock()
        let (observable, observer) = `case`.make()
        let resident = observable.subscribe(onNext: { _ in lock.touch() })
        let isThrough = await race(
            rounds: DeadlockTests.rounds,
            { round in
                lock.hold {
                    let subscription = observable.subscribe(
                        onNext: { _ in lock.touch() }, onDisposed: { lock.touch() })
                    observer.onNext(round)
                    subscription.dispose()
                }
            },
            { round in observer.onNext(-round) })
        #expect(isThrough, "\(`case`) hangs")
        resident.dispose()
        observer.onCompleted()
    }

    @Test("connecting and disconnecting with a lock held that subject, subscribers and source take")
    func connect() async {
        let lock = ApplicationLock()
        let source = PublishSubject<Int>()
        let shared = source.do(onSubscribe: { lock.touch() }, onDispose: { lock.touch() }).multicast {
            lock.touch()
            return ReplaySubject<Int>.create(bufferSize: 1)
        }
        let isThrough = await race(
            rounds: DeadlockTests.rounds,
            { _ in
                lock.hold {
                    let subscription = shared.subscribe(onNext: { _ in lock.touch() })
                    let connection = shared.connect()
                    subscription.dispose()
                    connection.dispose()
                }
            },
            { round in
                let connection = shared.connect()
                let subscription = shared.subscribe(onNext: { _ in lock.touch() })
                source.onNext(round)
                subscription.dispose()
                connection.dispose()
            })
        #expect(isThrough, "connect hangs")
        #expect(!source.hasObservers)
    }

    @Test("disposables call out without a lock: two threads dispose what takes the other's lock")
    func disposables() async {
        let lock = ApplicationLock()
        let serial = SerialDisposable()
        let composite = CompositeDisposable()
        let bag = Locked(DisposeBag())
        @Sendable func taking() -> any Disposable { Disposables.create { lock.touch() } }
        let isThrough = await race(
            rounds: DeadlockTests.rounds,
            { _ in
                lock.hold {
                    serial.disposable = taking()
                    _ = composite.insert(taking())
                    bag.withLock { $0 }.insert(taking())
                }
            },
            { _ in
                serial.disposable = taking()
                if let key = composite.insert(taking()) { composite.remove(for: key) }
                let old = bag.withLock { bag in
                    defer { bag = DisposeBag() }
                    return bag
                }
                withExtendedLifetime(old) {}
            })
        #expect(isThrough, "disposables hang")
        serial.dispose()
        composite.dispose()
    }
}
