import Dispatch
import Rx
import RxBlocking
import RxFoundation
import RxTest
import Synchronization

// Programs in Swift 6 mode: what closures share is guarded, and the main actor is asked for where it is needed.

@MainActor
func strictPrograms() async throws {
    counters()
    try await accounts()
    try await screens()
    try await streams()
}

/// State that closures share lives behind a mutex.
final class Counter: Sendable {
    private let state = Mutex(0)

    var value: Int { state.withLock { $0 } }
    func add(_ number: Int) { state.withLock { $0 += number } }
}

func counters() {
    let counter = Counter()
    let bag = DisposeBag()
    let threads = (0..<4).map { _ in ConcurrentDispatchQueueScheduler(qos: .default) }
    let sums = threads.map { Observable.range(start: 1, count: 100).observe(on: $0).do(onNext: { counter.add($0) }) }
    let count = try? Observable.merge(sums).reduce(0) { count, _ in count + 1 }.toBlocking(timeout: 30).single()
    check(count, 400)
    check(counter.value, 4 * 5050)

    let subject = PublishSubject<Int>()
    subject.subscribe(with: counter, onNext: { counter, number in counter.add(number) }).disposed(by: bag)
    DispatchQueue.concurrentPerform(iterations: 100) { _ in subject.onNext(1) }
    check(counter.value, 4 * 5050 + 100)
}

/// An actor whose work is a sequence to its users, and who uses sequences for what it waits for.
actor Account {
    private var balance = 0
    private let changes = ReplaySubject<Int>.create(bufferSize: 1)

    nonisolated var balances: Observable<Int> { changes.asObservable() }

    func deposit(_ amount: Int) {
        balance += amount
        changes.onNext(balance)
    }

    func follow(_ amounts: Observable<Int>) async throws {
        for try await amount in amounts.values { deposit(amount) }
        changes.onCompleted()
    }
}

func accounts() async throws {
    let account = Account()
    try await account.follow(.of(1, 2, 3))
    check(try await account.balances.toArray().value, [6])

    let deposits = Observable.of(4, 5).flatMap { amount in
        Single.create {
            await account.deposit(amount)
            return amount
        }
    }
    check(try await deposits.reduce(0, accumulator: +).asSingle().value, 9)
}

/// A controller of a user interface.
@MainActor
final class TitleController {
    private(set) var titles: [String] = []
    private let bag = DisposeBag()

    func bind(_ texts: Observable<String>) {
        texts.observe(on: MainScheduler.instance)
            .subscribe(onNext: { [weak self] text in self?.titles.append(text) })
            .disposed(by: bag)
    }

    func follow(_ texts: Observable<String>) async throws {
        for try await text in texts.values { titles.append(text) }
    }
}

@MainActor
func screens() async throws {
    let controller = TitleController()
    let texts = Observable.of("a", "b").observe(on: SerialDispatchQueueScheduler(qos: .userInitiated))
    try await controller.follow(texts)
    let sent = texts.share(replay: 2, scope: .forever)
    controller.bind(sent)
    _ = try await sent.observe(on: MainScheduler.asyncInstance).toArray().value
    check(controller.titles, ["a", "b", "a", "b"])
}

extension ObservableType {
    /// An operator of the client's own: `@Sendable` is all that it has to add.
    func pairs<Result: Sendable>(_ combine: @escaping @Sendable (Element, Element) -> Result) -> Observable<Result> {
        Observable.zip(self, skip(1), resultSelector: combine)
    }

    func counted(by counter: Counter) -> Observable<Element> {
        Observable.create { observer in
            subscribe { event in
                counter.add(1)
                observer.on(event)
            }
        }
    }
}

func streams() async throws {
    let counter = Counter()
    let stream = AsyncStream<Int> { continuation in
        for number in 1...4 { continuation.yield(number) }
        continuation.finish()
    }
    let pairs = stream.asObservable().counted(by: counter).share(replay: 4, scope: .forever).pairs { $1 * 10 + $0 }
    check(try await pairs.toArray().value, [21, 32, 43])
    check(counter.value, 5)
    let element: any Sendable = 1
    let anything: Observable<any Sendable> = .of(element, "two")
    check(try await anything.map { "\($0)" }.toArray().value, ["1", "two"])
    let closures: Observable<@Sendable () -> Int> = .of({ 1 }, { 2 })
    check(try await closures.map { $0() }.toArray().value, [1, 2])
}
