import Dispatch
import Rx
import RxTest
import Testing
import TestSupport

private struct Failure: Error {}

/// State of the main actor.
@MainActor
private final class Lines {
    var all: [String] = []
}

/// Whether a condition on the state of the main actor becomes true.
@MainActor
private func isEventually(_ condition: @MainActor () -> Bool) async -> Bool {
    let limit = ContinuousClock.now + .seconds(20)
    while !condition() {
        if ContinuousClock.now > limit { return false }
        await Task.yield()
    }
    return true
}

/// A view model as programs write it: the closures use state of the main actor, without a word about isolation.
@MainActor
private final class Screen {
    private(set) var log: [String] = []
    private var prefix = "> "
    private var bag = DisposeBag()

    private func show(_ text: String) { log.append("show \(text)") }

    func subscribe(_ texts: Observable<String>) {
        let main = texts.observe(on: MainScheduler.instance)
        main.subscribe(onNext: { self.log.append($0) }, onCompleted: { self.log.append("|") }).disposed(by: bag)
        main.subscribe(onNext: { [weak self] in self?.log.append("weak \($0)") }).disposed(by: bag)
        main.subscribe { event in self.log.append("event \(event)") }.disposed(by: bag)
        main.subscribe(with: self, onNext: { $0.log.append("with \($1)") }).disposed(by: bag)
        main.subscribe(onNext: show).disposed(by: bag)
        main.bind { self.log.append("bind \($0)") }.disposed(by: bag)
        main.bind(with: self) { $0.log.append("bind with \($1)") }.disposed(by: bag)
    }

    func transform(_ texts: Observable<String>) {
        texts.observe(on: MainScheduler.asyncInstance)
            .do(onNext: { self.log.append("do \($0)") }, afterCompleted: { self.log.append("done") })
            .filter { $0 != self.prefix }
            .map { self.prefix + $0 }
            .compactMap { [weak self] text in self.map { text + $0.prefix } }
            .distinctUntilChanged { "\($0)\(self.prefix)" }
            .scan("") { $0 + $1 + self.prefix }
            .take(2)
            .skip(1)
            .subscribe(onNext: { self.log.append($0) })
            .disposed(by: bag)
    }

    func traits(_ queue: any ImmediateSchedulerType) {
        let single = Single.just(1).observe(on: queue)
        single.observe(on: MainScheduler.instance).do(onSuccess: { self.log.append("do \($0)") })
            .map { "\(self.prefix)\($0)" }
            .subscribe(onSuccess: { self.log.append("single \($0)") })
            .disposed(by: bag)
        Single<Int>.error(Failure()).observe(on: queue).observe(on: MainScheduler.instance)
            .subscribe(onFailure: { _ in self.log.append("failure") })
            .disposed(by: bag)
        single.filter { $0 > 1 }.observe(on: MainScheduler.instance)
            .subscribe(onSuccess: { _ in self.log.append("none") }, onCompleted: { self.log.append("maybe") })
            .disposed(by: bag)
        single.asCompletable().observe(on: MainScheduler.instance)
            .subscribe { _ in self.log.append("completable") }
            .disposed(by: bag)
        single.asObservable().asInfallible(onErrorJustReturn: 0).observe(on: MainScheduler.instance)
            .map { "\(self.prefix)\($0)" }
            .bind { self.log.append("infallible \($0)") }
            .disposed(by: bag)
    }

    /// Ends the subscriptions, whose closures retain this object.
    func close() { bag = DisposeBag() }
}

@Suite("Sequences on the main thread", .leakFree, .ownThreads)
struct MainObservableTests {
    private let queue = SerialDispatchQueueScheduler(qos: .default)

    /// Elements that another thread sends.
    private func texts(_ texts: String...) -> Observable<String> { Observable.from(texts).observe(on: queue) }

    @Test("closures of subscribers use the state of the main actor")
    @MainActor func subscribers() async {
        let screen = Screen()
        screen.subscribe(texts("a"))
        let arrived = await isEventually { screen.log.count == 9 }
        #expect(arrived)
        #expect(
            Set(screen.log) == [
                "a", "|", "weak a", "event next(a)", "event completed", "with a", "show a", "bind a", "bind with a",
            ])
        screen.close()
    }

    @Test("closures of operators that keep the type use it too")
    @MainActor func operators() async {
        let screen = Screen()
        screen.transform(texts("a", "> ", "a", "b", "c"))
        let arrived = await isEventually { screen.log.contains("> a> > > b> > ") }
        #expect(arrived)
        #expect(screen.log.filter { $0.hasPrefix("do ") } == ["do a", "do > ", "do a", "do b"])
        screen.close()
    }

    @Test("closures of traits use it too")
    @MainActor func traits() async {
        let screen = Screen()
        screen.traits(queue)
        let arrived = await isEventually { screen.log.count == 6 }
        #expect(arrived)
        #expect(
            Set(screen.log) == ["do 1", "single > 1", "failure", "maybe", "completable", "infallible > 1"])
        screen.close()
    }

    @Test("these operators keep the type")
    func keepsType() {
        let main: MainObservable<Int> = Observable.just(1).observe(on: MainScheduler.instance)
        let kept: [MainObservable<Int>] = [
            main.map { $0 }, main.filter { _ in true }, main.compactMap { $0 }, main.distinctUntilChanged(),
            main.distinctUntilChanged { $0 }, main.distinctUntilChanged { $0 == $1 },
            main.distinctUntilChanged({ $0 }, comparer: ==), main.distinctUntilChanged(at: \.magnitude),
            main.scan(0) { $0 + $1 }, main.scan(into: 0) { $0 += $1 }, main.do(onNext: { _ in }), main.take(1),
            main.take(0), main.skip(1),
        ]
        #expect(kept.count == 14)
        let single = Single.just(1).observe(on: MainScheduler.instance)
        let (_, _, _): (MainSingle<Int>, MainMaybe<Int>, MainMaybe<Int>) = (
            single.map { $0 }, single.filter { _ in true }, single.compactMap { $0 }
        )
        let infallible: MainInfallible<Int> = Infallible.just(1).observe(on: MainScheduler.instance)
        let _: [MainInfallible<Int>] = [
            infallible.map { $0 }, infallible.filter { _ in true }, infallible.compactMap { $0 }, infallible.take(1),
            infallible.distinctUntilChanged(), infallible.scan(0) { $0 + $1 }, infallible.skip(1),
            infallible.do(onNext: { _ in }),
        ]
    }

    @Test("the others lose it, as may send elsewhere")
    func losesType() {
        let main = Observable.just(1).observe(on: MainScheduler.instance)
        let others: [Observable<Int>] = [
            main.startWith(0), main.delay(.seconds(1), scheduler: queue), main.catchAndReturn(0), main.share(),
            main.flatMap { Observable.just($0) }, Observable.merge(main, main), main.observe(on: queue), main.debug(),
            main.take(for: .seconds(1), scheduler: queue), main.take(until: main), main.ifEmpty(default: 0),
            main.subscribe(on: queue), main.asObservable(), main.enumerated().map(\.element),
        ]
        #expect(others.allSatisfy { !($0 is MainObservable<Int>) })
        let single = Single.just(1).observe(on: MainScheduler.instance)
        let _: [Single<Int>] = [single.flatMap { .just($0) }, single.catchAndReturn(0), single.retry(2)]
    }

    @Test("every main scheduler selects it, also in a parameter of the type any MainSchedulerType")
    @MainActor func schedulers() async {
        let found = Lines()
        let schedulers: [any MainSchedulerType] = [
            MainScheduler.instance, MainScheduler(), MainScheduler.asyncInstance, ConcurrentMainScheduler.instance,
        ]
        let bag = DisposeBag()
        let numbers = Observable.just(1).observe(on: queue)
        for scheduler in schedulers {
            numbers.observe(on: scheduler).subscribe(onNext: { found.all.append("\($0)") }).disposed(by: bag)
        }
        numbers.observe(on: MainScheduler.asyncInstance).subscribe(onNext: { found.all.append("\($0)") }).disposed(
            by: bag)
        numbers.observe(on: ConcurrentMainScheduler.instance).subscribe(onNext: { found.all.append("\($0)") })
            .disposed(by: bag)
        numbers.observe(on: MainScheduler.instance, buffering: .bounded(1, whenFull: .dropOldest))
            .subscribe(onNext: { found.all.append("\($0)") }).disposed(by: bag)
        let arrived = await isEventually { found.all.count == 7 }
        #expect(arrived)
    }

    @Test("an error and a completion arrive there as well")
    @MainActor func ends() async {
        let log = Lines()
        let bag = DisposeBag()
        Observable<Int>.error(Failure()).observe(on: queue).observe(on: MainScheduler.instance)
            .do(onError: { _ in log.all.append("do") })
            .subscribe(onError: { _ in log.all.append("error") }).disposed(by: bag)
        let arrived = await isEventually { log.all == ["do", "error"] }
        #expect(arrived)
    }

    @Test("take(0) completes there, wherever it is subscribed to")
    func takeNone() async {
        let isCompleted = Locked(false)
        let subscription = Observable.of(1).observe(on: MainScheduler.instance).take(0)
            .subscribe(onCompleted: { isCompleted.withLock { $0 = true } })
        #expect(await eventually { isCompleted.withLock { $0 } })
        subscription.dispose()
    }

    @Test("onDisposed runs where the subscription is disposed")
    func disposed() async {
        let isOnMain = Locked<Bool?>(nil)
        let label = DispatchSpecificKey<Bool>()
        let elsewhere = DispatchQueue(label: "elsewhere")
        elsewhere.setSpecific(key: label, value: true)
        let subscription = Observable<Int>.never().observe(on: MainScheduler.instance)
            .subscribe(
                onNext: { _ in },
                onDisposed: {
                    isOnMain.withLock { $0 = DispatchQueue.getSpecific(key: label) != true }
                })
        elsewhere.async { subscription.dispose() }
        #expect(await eventually { isOnMain.withLock { $0 } == false })
    }

    @Test("what a closure throws ends the sequence")
    @MainActor func throwing() async {
        let log = Lines()
        let bag = DisposeBag()
        let main = Observable.of(1, 2).observe(on: queue).observe(on: MainScheduler.instance)
        main.map { _ in throw Failure() }.subscribe(
            onNext: { log.all.append("map") }, onError: { _ in log.all.append("x") }
        )
        .disposed(by: bag)
        main.do(onNext: { _ in throw Failure() }).subscribe(onError: { _ in log.all.append("x") }).disposed(by: bag)
        let arrived = await isEventually { log.all == ["x", "x"] }
        #expect(arrived)
    }

    @Test("a scheduler that breaks its promise stops the process instead of running a closure elsewhere")
    func dishonest() async {
        await #expect(processExitsWith: .failure) {
            Observable.of(1).observe(on: Dishonest()).subscribe(onNext: { _ in }).dispose()
        }
        // It is the closure that is checked.
        await #expect(processExitsWith: .success) {
            Observable.of(1).observe(on: Dishonest()).asObservable().subscribe(onNext: { _ in }).dispose()
        }
    }
}

/// Runs actions on the caller's thread.
private struct Dishonest: MainSchedulerType {
    var now: RxTime { ConcurrentMainScheduler.instance.now }

    func schedule<State: Sendable>(
        _ state: State, action: @escaping @Sendable (State) -> any Disposable
    ) -> any Disposable {
        action(state)
    }

    func scheduleRelative<State: Sendable>(
        _ state: State, dueTime: RxTimeInterval, action: @escaping @Sendable (State) -> any Disposable
    ) -> any Disposable {
        action(state)
    }
}
