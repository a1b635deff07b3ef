import Dispatch
import Glibc
import Rx
import RxTest
import Testing
import TestSupport

/// Something that closures hold.
final class Held: Sendable {
    private let onRelease: (@Sendable () -> Void)?

    init(onRelease: (@Sendable () -> Void)? = nil) {
        self.onRelease = onRelease
    }

    deinit { onRelease?() }

    func use() {}
}

/// How a subscription becomes over.
enum Ending: CaseIterable {
    case completed
    case failed
    case disposed
    /// From within a delivery, by the closure that receives the element.
    case disposedWithin
}

/// One way to subscribe to a sequence, with closures that hold an object and call `onElement`.
struct SubscribeForm: Sendable, CustomTestStringConvertible {
    typealias Subscribe =
        @Sendable (Observable<Int>, Held, _ onElement: @escaping @Sendable () -> Void) -> any Disposable

    let testDescription: String
    let subscribe: Subscribe

    init(_ name: String, _ subscribe: @escaping Subscribe) {
        testDescription = name
        self.subscribe = subscribe
    }

    /// An observer of one's own.
    private struct OwnObserver: ObserverType {
        let held: Held
        let onElement: @Sendable () -> Void

        func on(_ event: Event<Int>) {
            held.use()
            if case .next = event { onElement() }
        }
    }

    /// Does what its closure does.
    private final class Target: Sendable {}

    static let all: [SubscribeForm] = observables + traits + bindings

    private static let observables: [SubscribeForm] = [
        SubscribeForm("subscribe(_:)") { source, held, onElement in
            source.subscribe { event in
                held.use()
                if case .next = event { onElement() }
            }
        },
        SubscribeForm("subscribe(onNext:onError:onCompleted:onDisposed:)") { source, held, onElement in
            source.subscribe(
                onNext: { _ in
                    held.use()
                    onElement()
                }, onError: { _ in held.use() }, onCompleted: { held.use() }, onDisposed: { held.use() })
        },
        SubscribeForm("subscribe(onDisposed:)") { source, held, onElement in
            source.do(afterNext: { _ in onElement() }).subscribe(onError: { _ in }, onDisposed: { held.use() })
        },
        SubscribeForm("subscribe(onError:onCompleted:)") { source, held, onElement in
            source.do(afterNext: { _ in onElement() })
                .subscribe(onError: { _ in held.use() }, onCompleted: { held.use() })
        },
        SubscribeForm("subscribe(with:)") { source, held, onElement in
            let target = Target()
            return source.subscribe(
                with: target,
                onNext: { [target] _, _ in
                    withExtendedLifetime(target) { held.use() }
                    onElement()
                }, onError: { _, _ in held.use() }, onCompleted: { _ in held.use() }, onDisposed: { _ in held.use() })
        },
        SubscribeForm("subscribe(an observer)") { source, held, onElement in
            source.subscribe(OwnObserver(held: held, onElement: onElement))
        },
        SubscribeForm("subscribe(AnyObserver)") { source, held, onElement in
            source.subscribe(
                AnyObserver { (event: Event<Int>) in
                    held.use()
                    if case .next = event { onElement() }
                })
        },
        SubscribeForm("subscribe(AnyObserver of an observer)") { source, held, onElement in
            source.subscribe(OwnObserver(held: held, onElement: onElement).asObserver())
        },
    ]

    private static let traits: [SubscribeForm] = [
        SubscribeForm("Single") { source, held, onElement in
            source.take(1).asSingle().subscribe(
                onSuccess: { _ in
                    held.use()
                    onElement()
                }, onFailure: { _ in held.use() }, onDisposed: { held.use() })
        },
        SubscribeForm("Single, one closure") { source, held, onElement in
            source.take(1).asSingle().subscribe { _ in
                held.use()
                onElement()
            }
        },
        SubscribeForm("Single, as it is") { source, held, onElement in
            source.first().subscribe(
                onSuccess: { _ in
                    held.use()
                    onElement()
                }, onFailure: { _ in held.use() }, onDisposed: { held.use() })
        },
        SubscribeForm("Maybe") { source, held, onElement in
            source.take(1).asMaybe().subscribe(
                onSuccess: { _ in
                    held.use()
                    onElement()
                }, onError: { _ in held.use() }, onCompleted: { held.use() }, onDisposed: { held.use() })
        },
        SubscribeForm("Completable") { source, held, onElement in
            source.do(afterNext: { _ in onElement() }).ignoreElements().asCompletable().subscribe(
                onCompleted: { held.use() }, onError: { _ in held.use() }, onDisposed: { held.use() })
        },
        SubscribeForm("Infallible") { source, held, onElement in
            source.asInfallible(onErrorFallbackTo: .empty()).subscribe(
                onNext: { _ in
                    held.use()
                    onElement()
                }, onCompleted: { held.use() }, onDisposed: { held.use() })
        },
    ]

    private static let bindings: [SubscribeForm] = [
        SubscribeForm("bind(onNext:)") { source, held, onElement in
            source.catch { _ in .empty() }.bind(onNext: { _ in
                held.use()
                onElement()
            })
        },
        SubscribeForm("bind(to:)") { source, held, onElement in
            source.bind(to: OwnObserver(held: held, onElement: onElement))
        },
        SubscribeForm("publish().connect()") { source, held, onElement in
            source.do(
                onNext: { _ in
                    held.use()
                    onElement()
                }, onDispose: { held.use() }
            ).publish().connect()
        },
    ]
}

/// An operator with closures that hold an object, applied to two sources.
struct HoldingOperator: Sendable, CustomTestStringConvertible {
    struct Sources: Sendable {
        let first: Observable<Int>
        let second: Observable<Int>
        let scheduler: TestScheduler
        let held: Held
    }

    let testDescription: String
    let apply: @Sendable (Sources) -> Observable<Void>

    init<Element: Sendable>(_ name: String, _ apply: @escaping @Sendable (Sources) -> Observable<Element>) {
        testDescription = name
        self.apply = { apply($0).map { _ in } }
    }

    static let all: [HoldingOperator] = elementwise + combining + timed + sharing

    private static let elementwise: [HoldingOperator] = [
        HoldingOperator("map") { source in source.first.map { [held = source.held] in (held.use(), $0).1 } },
        HoldingOperator("filter") { source in
            source.first.filter { [held = source.held] _ in (held.use(), true).1 }
        },
        HoldingOperator("compactMap") { source in
            source.first.compactMap { [held = source.held] in (held.use(), $0).1 as Int? }
        },
        HoldingOperator("scan") { source in
            source.first.scan(0) { [held = source.held] in (held.use(), $0 + $1).1 }
        },
        HoldingOperator("reduce") { source in
            source.first.reduce(0) { [held = source.held] in (held.use(), $0 + $1).1 }
        },
        HoldingOperator("distinctUntilChanged") { source in
            source.first.distinctUntilChanged { [held = source.held] in (held.use(), $0 == $1).1 }
        },
        HoldingOperator("take(while:)") { source in
            source.first.take(while: { [held = source.held] _ in (held.use(), true).1 })
        },
        HoldingOperator("skip(while:)") { source in
            source.first.skip(while: { [held = source.held] _ in (held.use(), false).1 })
        },
        HoldingOperator("do") { source in
            source.first.do(
                onNext: { [held = source.held] _ in held.use() }, onCompleted: { [held = source.held] in held.use() },
                onDispose: { [held = source.held] in held.use() })
        },
        HoldingOperator("catch") { source in
            source.first.catch { [held = source.held] _ in (held.use(), Observable.empty()).1 }
        },
        HoldingOperator("retry(when:)") { source in
            source.first.retry(when: { [held = source.held] (errors: Observable<any Error>) in
                errors.flatMap { (held.use(), Observable<Int>.error($0)).1 }
            })
        },
        HoldingOperator("withUnretained") { source in
            source.first.withUnretained(HoldingOperator.lasting) { [held = source.held] in (held.use(), $1).1 }
        },
        HoldingOperator("create") { source in
            Observable<Int>.create { [held = source.held, first = source.first] observer in
                let subscription = first.subscribe(observer)
                return Disposables.create {
                    held.use()
                    subscription.dispose()
                }
            }
        },
        HoldingOperator("deferred") { source in
            Observable.deferred { [held = source.held, first = source.first] in HoldingOperator.holding(first, held) }
        },
        HoldingOperator("using") { source in
            Observable.using({ BooleanDisposable() }) { [held = source.held, first = source.first] _ in
                HoldingOperator.holding(first, held)
            }
        },
        HoldingOperator("single") { source in
            source.first.take(1).single { [held = source.held] _ in (held.use(), true).1 }
        },
    ]

    private static let combining: [HoldingOperator] = [
        HoldingOperator("flatMap") { source in
            source.first.flatMap { [held = source.held, second = source.second] _ in (held.use(), second).1 }
        },
        HoldingOperator("flatMap of one element") { source in
            source.first.flatMap { [held = source.held] in (held.use(), Observable.just($0)).1 }
        },
        HoldingOperator("flatMapLatest") { source in
            source.first.flatMapLatest { [held = source.held, second = source.second] _ in (held.use(), second).1 }
        },
        HoldingOperator("flatMapFirst") { source in
            source.first.flatMapFirst { [held = source.held, second = source.second] _ in (held.use(), second).1 }
        },
        HoldingOperator("concatMap") { source in
            source.first.concatMap { [held = source.held, second = source.second] _ in (held.use(), second).1 }
        },
        HoldingOperator("concat") { source in
            HoldingOperator.holding(source.first, source.held)
                .concat(HoldingOperator.holding(source.second, source.held))
        },
        HoldingOperator("merge") { source in
            Observable.merge(
                HoldingOperator.holding(source.first, source.held), HoldingOperator.holding(source.second, source.held))
        },
        HoldingOperator("amb") { source in
            HoldingOperator.holding(source.first, source.held)
                .amb(HoldingOperator.holding(source.second, source.held))
        },
        HoldingOperator("zip") { source in
            Observable.zip(source.first, source.second) { [held = source.held] in (held.use(), $0 + $1).1 }
        },
        HoldingOperator("combineLatest") { source in
            Observable.combineLatest(source.first, source.second) { [held = source.held] in (held.use(), $0 + $1).1 }
        },
        HoldingOperator("withLatestFrom") { source in
            source.first.withLatestFrom(source.second) { [held = source.held] in (held.use(), $0 + $1).1 }
        },
        HoldingOperator("take(until:)") { source in
            HoldingOperator.holding(source.first, source.held)
                .take(until: HoldingOperator.holding(source.second, source.held).filter { $0 < 0 })
        },
        HoldingOperator("skip(until:)") { source in
            HoldingOperator.holding(source.first, source.held)
                .skip(until: HoldingOperator.holding(source.second, source.held))
        },
        HoldingOperator("sample") { source in
            HoldingOperator.holding(source.first, source.held)
                .sample(HoldingOperator.holding(source.second, source.held))
        },
        HoldingOperator("retry") { source in HoldingOperator.holding(source.first, source.held).retry(2) },
    ]

    private static let timed: [HoldingOperator] = [
        HoldingOperator("observe(on:)") { source in
            HoldingOperator.holding(source.first, source.held).observe(on: source.scheduler)
        },
        HoldingOperator("subscribe(on:)") { source in
            HoldingOperator.holding(source.first, source.held).subscribe(on: source.scheduler)
        },
        HoldingOperator("delay") { source in
            HoldingOperator.holding(source.first, source.held).delay(.seconds(1), scheduler: source.scheduler)
        },
        HoldingOperator("throttle") { source in
            HoldingOperator.holding(source.first, source.held).throttle(.seconds(1), scheduler: source.scheduler)
        },
        HoldingOperator("debounce") { source in
            HoldingOperator.holding(source.first, source.held).debounce(.seconds(1), scheduler: source.scheduler)
        },
        HoldingOperator("timeout") { source in
            HoldingOperator.holding(source.first, source.held).timeout(.seconds(9), scheduler: source.scheduler)
        },
        HoldingOperator("buffer") { source in
            HoldingOperator.holding(source.first, source.held)
                .buffer(timeSpan: .seconds(1), count: 2, scheduler: source.scheduler)
        },
        HoldingOperator("window") { source in
            HoldingOperator.holding(source.first, source.held)
                .window(timeSpan: .seconds(1), count: 2, scheduler: source.scheduler).merge()
        },
        HoldingOperator("take(for:)") { source in
            HoldingOperator.holding(source.first, source.held).take(for: .seconds(9), scheduler: source.scheduler)
        },
        HoldingOperator("skip for a time") { source in
            HoldingOperator.holding(source.first, source.held).skip(.seconds(1), scheduler: source.scheduler)
        },
        HoldingOperator("interval") { source in
            HoldingOperator.holding(.interval(.seconds(1), scheduler: source.scheduler), source.held)
                .take(until: source.first.materialize().filter { $0.isStopEvent })
        },
    ]

    private static let sharing: [HoldingOperator] = [
        HoldingOperator("share()") { source in HoldingOperator.holding(source.first, source.held).share() },
        HoldingOperator("share(replay:)") { source in
            HoldingOperator.holding(source.first, source.held).share(replay: 1)
        },
        HoldingOperator("share(replay:scope:)") { source in
            HoldingOperator.holding(source.first, source.held).share(replay: 1, scope: .forever)
        },
        HoldingOperator("multicast(_:selector:)") { source in
            source.first.multicast({ PublishSubject<Int>() }) { [held = source.held] shared in
                (held.use(), HoldingOperator.holding(shared, held)).1
            }
        },
        HoldingOperator("groupBy") { source in
            source.first.groupBy { [held = source.held] in (held.use(), $0 % 2).1 }.flatMap { $0 }
        },
    ]

    /// The same sequence through an operator that holds an object.
    private static func holding(_ source: Observable<Int>, _ held: Held) -> Observable<Int> {
        source.map { (held.use(), $0).1 }
    }

    /// Alive as long as the process.
    private static let lasting = Held()
}

/// While a subscriber keeps what `subscribe` returned, it does not keep what the closures hold once the subscription is
/// over: `self.subscription = source.subscribe(onNext: { self.… })` is no leak.
@Suite("What closures hold is released", .leakFree)
struct ReleaseTests {
    private struct Failure: Error {}

    private static func end(
        _ ending: Ending, _ subscription: SerialDisposable, _ scheduler: TestScheduler,
        _ subjects: PublishSubject<Int>...
    ) {
        for subject in subjects { subject.onNext(1) }
        switch ending {
        case .completed: for subject in subjects { subject.onCompleted() }
        case .failed: for subject in subjects { subject.onError(Failure()) }
        case .disposed, .disposedWithin: break
        }
        scheduler.advanceTo(scheduler.clock + 100)
        if ending == .disposed { subscription.dispose() }
    }

    @Test("by every form of subscribing", arguments: SubscribeForm.all, Ending.allCases)
    func forms(form: SubscribeForm, ending: Ending) {
        let subject = PublishSubject<Int>()
        let subscription = SerialDisposable()
        weak var held: Held?
        do {
            let object = Held()
            held = object
            subscription.disposable = form.subscribe(subject, object) {
                // Captured by the closure that the subscription leads to.
                if ending == .disposedWithin { subscription.dispose() }
            }
        }
        let kept = subscription.disposable
        #expect(held != nil)
        ReleaseTests.end(ending, subscription, TestScheduler(initialClock: 0), subject)
        #expect(held == nil)
        withExtendedLifetime((kept, subscription, subject)) {}
    }

    @Test("by every operator, and by its subscriber", arguments: HoldingOperator.all, Ending.allCases)
    func operators(applied: HoldingOperator, ending: Ending) {
        let first = PublishSubject<Int>()
        let second = PublishSubject<Int>()
        let scheduler = TestScheduler(initialClock: 0)
        let subscription = SerialDisposable()
        weak var held: Held?
        weak var subscriberHeld: Held?
        do {
            let object = Held()
            let subscriberObject = Held()
            held = object
            subscriberHeld = subscriberObject
            let sources = HoldingOperator.Sources(first: first, second: second, scheduler: scheduler, held: object)
            subscription.disposable = applied.apply(sources).subscribe(
                onNext: { [subscriberObject] _ in
                    subscriberObject.use()
                    if ending == .disposedWithin { subscription.dispose() }
                }, onError: { [subscriberObject] _ in subscriberObject.use() })
        }
        let kept = subscription.disposable
        #expect(held != nil)
        #expect(subscriberHeld != nil)
        scheduler.advanceTo(scheduler.clock + 2)
        first.onNext(1)
        second.onNext(1)
        first.onNext(2)
        scheduler.advanceTo(scheduler.clock + 100)
        ReleaseTests.end(ending, subscription, scheduler, first, second)
        // Not all hand down an element here. Those that dispose on the scheduler need a turn of it.
        if ending == .disposedWithin { subscription.dispose() }
        scheduler.advanceTo(scheduler.clock + 2)
        #expect(held == nil)
        #expect(subscriberHeld == nil)
        withExtendedLifetime((kept, subscription, first, second, scheduler)) {}
    }

    @Test("when skip(until:) can have no element any more")
    func skipUntilTooEarly() {
        let source = PublishSubject<Int>()
        let signal = PublishSubject<Int>()
        weak var held: Held?
        let subscription: any Disposable
        do {
            let object = Held()
            held = object
            subscription = source.map { [object] in (object.use(), $0).1 }.skip(until: signal)
                .subscribe(onNext: { [object] _ in object.use() })
        }
        source.onCompleted()
        #expect(held == nil)
        #expect(!signal.hasObservers)
        subscription.dispose()
    }

    @Test("by what schedulers return, once it has run or was disposed", arguments: [true, false])
    func scheduled(runs: Bool) {
        let scheduler = TestScheduler(initialClock: 0)
        weak var held: Held?
        let disposables: [any Disposable]
        do {
            let object = Held()
            held = object
            disposables = [
                scheduler.schedule(()) { [object] _ in (object.use(), Disposables.create()).1 },
                scheduler.schedulePeriodic(0, startAfter: .seconds(1), period: .seconds(1)) { [object] count in
                    (object.use(), count + 1).1
                },
                scheduler.scheduleRecursive(3) { [object] count, again in
                    object.use()
                    if count > 0 { again(count - 1) }
                },
            ]
        }
        if runs { scheduler.advanceTo(10) }
        #expect(held != nil)
        for disposable in disposables { disposable.dispose() }
        scheduler.advanceTo(20)
        #expect(held == nil)
    }

    @Test("when the delivery that is under way on another thread returns, not before")
    func deliveryUnderWay() async {
        let subject = PublishSubject<Int>()
        // Left to the closure alone, and seen by another thread.
        final class Seen: Sendable {
            weak let object: Held?
            init(_ object: Held) { self.object = object }
        }
        let isInside = Locked(false)
        let mayReturn = Locked(false)
        let isAliveAfterDispose = Locked(false)
        let subscription = SerialDisposable()
        let held: Seen
        do {
            let object = Held()
            held = Seen(object)
            subscription.disposable = subject.map { $0 }.subscribe(onNext: { [object] _ in
                isInside.withLock { $0 = true }
                while !mayReturn.withLock({ $0 }) { sched_yield() }
                object.use()
            })
        }
        let kept = subscription.disposable
        let isOver = await race(
            rounds: 1,
            { _ in subject.onNext(1) },
            { _ in
                while !isInside.withLock({ $0 }) { sched_yield() }
                subscription.dispose()
                isAliveAfterDispose.withLock { $0 = held.object != nil }
                mayReturn.withLock { $0 = true }
            })
        #expect(isOver)
        #expect(isAliveAfterDispose.withLock { $0 })
        #expect(held.object == nil)
        withExtendedLifetime(kept) {}
    }

    @Test("once each, while others deliver, end and dispose; and no lock is held meanwhile")
    func concurrently() async {
        let rounds = 2000
        let releases = Locked(0)
        let subjects = (0..<rounds).map { _ in PublishSubject<Int>() }
        let subscriptions = subjects.map { subject in
            // What is released may use the library: under a lock of its own, this would hang.
            let object = Held(onRelease: { [weak subject] in
                subject?.onNext(3)
                _ = subject?.hasObservers
                releases.withLock { $0 += 1 }
            })
            return subject.map { [object] in (object.use(), $0).1 }.observe(on: CurrentThreadScheduler.instance)
                .subscribe(
                    onNext: { [object] _ in object.use() }, onCompleted: { [object] in object.use() },
                    onDisposed: { [object] in object.use() })
        }
        let isOver = await race(
            rounds: rounds,
            { round in
                subjects[round].onNext(1)
                subjects[round].onNext(2)
            },
            { round in subscriptions[round].dispose() },
            { round in if round.isMultiple(of: 3) { subjects[round].onCompleted() } })
        #expect(isOver)
        #expect(releases.withLock { $0 } == rounds)
        withExtendedLifetime((subjects, subscriptions)) {}
    }
}
