import Dispatch
import Glibc
import Rx
import RxTest
import Testing
import TestSupport

/// While a subscriber keeps what `subscribe` returned, it does not keep what the closures hold once the subscription is
/// over: `self.subscription = source.subscribe(onNext: { self.… })` is no leak.
///
/// `ReleaseCase` lists the operators and `SubscribeForm` the ways to subscribe. `ReleaseCoverageTests` finds what is
/// missing.
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
    func forms(form: SubscribeForm, ending: Ending) { ReleaseTests.check(form, ending) }

    @Test("by every form of subscribing on the main thread", arguments: SubscribeForm.main, Ending.allCases)
    @MainActor func mainForms(form: SubscribeForm, ending: Ending) { ReleaseTests.check(form, ending) }

    private static func check(_ form: SubscribeForm, _ ending: Ending) {
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

    @Test("by every operator, and by its subscriber", arguments: ReleaseCase.all, Ending.allCases)
    func operators(applied: ReleaseCase, ending: Ending) { ReleaseTests.check(applied, ending) }

    @Test("by every operator on the main thread", arguments: ReleaseCase.main, Ending.allCases)
    @MainActor func mainOperators(applied: ReleaseCase, ending: Ending) { ReleaseTests.check(applied, ending) }

    private static func check(_ applied: ReleaseCase, _ ending: Ending) {
        let first = PublishSubject<Int>()
        let second = PublishSubject<Int>()
        let scheduler = TestScheduler(initialClock: 0)
        let subscription = SerialDisposable()
        let isOver = Locked(false)
        weak var held: Held?
        weak var subscriberHeld: Held?
        do {
            let object = Held()
            let subscriberObject = Held()
            held = object
            subscriberHeld = subscriberObject
            let sources = ReleaseCase.Sources(first: first, second: second, scheduler: scheduler, held: object)
            subscription.disposable = applied.apply(sources).subscribe(
                onNext: { [subscriberObject] _ in
                    subscriberObject.use()
                    if ending == .disposedWithin { subscription.dispose() }
                }, onError: { [subscriberObject] _ in subscriberObject.use() },
                onDisposed: { isOver.withLock { $0 = true } })
        }
        let kept = subscription.disposable
        // A sequence that never emits holds nobody.
        #expect(applied.isEndless || isOver.withLock { $0 } || (held != nil && subscriberHeld != nil))
        scheduler.advanceTo(scheduler.clock + 2)
        first.onNext(1)
        second.onNext(1)
        first.onNext(2)
        scheduler.advanceTo(scheduler.clock + 100)
        ReleaseTests.end(ending, subscription, scheduler, first, second)
        // Not all deliver an element here.
        if ending == .disposedWithin || applied.isEndless { subscription.dispose() }
        // Those that dispose on the scheduler need a turn of it.
        scheduler.advanceTo(scheduler.clock + 2)
        #expect(held == nil)
        #expect(subscriberHeld == nil)
        withExtendedLifetime((kept, subscription, first, second, scheduler)) {}
    }

    @Test("by sequences that run in tasks", arguments: AsynchronousForm.allCases, [true, false])
    func asynchronously(form: AsynchronousForm, disposes: Bool) async {
        let releases = Locked(0)
        await form.run(Held(onRelease: { releases.withLock { $0 += 1 } }), disposes: disposes)
        #expect(await eventually { releases.withLock { $0 } == 1 })
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

    #if TRACE_RESOURCES
        @Test("skip(until:) keeps no object when it can have no element any more", arguments: [true, false])
        func skipUntilCount(isMapped: Bool) {
            let source = PublishSubject<Int>()
            let signal = PublishSubject<Int>()
            let before = Resources.total
            let skipped = isMapped ? source.skip(until: signal).map { $0 } : source.skip(until: signal)
            let subscription = skipped.subscribe()
            source.onCompleted()
            withExtendedLifetime(skipped) {
                // The operators and the subscription.
                #expect(Resources.total - before == (isMapped ? 3 : 2))
            }
            subscription.dispose()
        }

        @Test("the disposable without effect is not counted")
        func immortal() async {
            await #expect(processExitsWith: .success) {
                let before = Resources.total
                withExtendedLifetime(Disposables.create()) { precondition(Resources.total == before) }
            }
        }
    #endif

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
