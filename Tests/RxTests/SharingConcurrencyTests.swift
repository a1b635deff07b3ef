import Glibc
import Rx
import Testing
import TestSupport

@Suite("Sharing between threads", .leakFree, .serialized)
struct SharingConcurrencyTests {
    /// A source that counts its subscriptions and how many there are at a time.
    private final class Counted: Sendable {
        private struct Counts {
            var subscribed = 0
            var live = 0
            var most = 0
        }

        private let counts = Locked(Counts())

        var subscribed: Int { counts.withLock { $0.subscribed } }
        var live: Int { counts.withLock { $0.live } }
        var most: Int { counts.withLock { $0.most } }

        func source(_ inner: Observable<Int>) -> Observable<Int> {
            Observable.create { [counts] observer in
                counts.withLock {
                    $0.subscribed += 1
                    $0.live += 1
                    $0.most = max($0.most, $0.live)
                }
                let subscription = inner.subscribe(observer)
                return Disposables.create {
                    subscription.dispose()
                    counts.withLock { $0.live -= 1 }
                }
            }
        }
    }

    static let shares: [(name: String, share: @Sendable (Observable<Int>) -> Observable<Int>)] = [
        ("share()", { $0.share() }),
        ("share(replay: 1)", { $0.share(replay: 1) }),
        ("share(replay: 2)", { $0.share(replay: 2) }),
        ("share(replay: 1, scope: .forever)", { $0.share(replay: 1, scope: .forever) }),
        ("publish().refCount()", { $0.publish().refCount() }),
    ]

    @Test("while one stays, others come and go, and the source is subscribed once", arguments: 0..<shares.count)
    func once(_ index: Int) async {
        let counted = Counted()
        let subject = PublishSubject<Int>()
        let shared = Self.shares[index].share(counted.source(subject))
        let received = Locked(0)
        let resident = shared.subscribe(onNext: { _ in received.withLock { $0 += 1 } })
        let isThrough = await race(
            rounds: 3_000,
            { _ in shared.subscribe().dispose() }, { _ in shared.take(1).subscribe().dispose() },
            { subject.onNext($0) })
        #expect(isThrough, "\(Self.shares[index].name) hangs")
        #expect(received.withLock { $0 } == 3_000)
        #expect(counted.subscribed == 1)
        resident.dispose()
        #expect(counted.live == 0)
    }

    @Test("all come and go at once: whoever is in hears, and nothing is left subscribed", arguments: 0..<shares.count)
    func generations(_ index: Int) async {
        let counted = Counted()
        // Whoever is subscribed to a connected share gets the 0 that each connection begins with, or what was replayed
        // of it or follows it; never nothing.
        let subject = BehaviorSubject(value: 0)
        let shared = Self.shares[index].share(counted.source(subject))
        let unheard = Locked(0)
        @Sendable func comeAndGo(_ round: Int) {
            let heard = Locked(false)
            let subscription = shared.subscribe(onNext: { _ in heard.withLock { $0 = true } })
            // The next element reaches all who are in.
            subject.onNext(round)
            let deadline = ContinuousClock.now + .seconds(60)
            while !heard.withLock({ $0 }), ContinuousClock.now < deadline { sched_yield() }
            if !heard.withLock({ $0 }) { unheard.withLock { $0 += 1 } }
            subscription.dispose()
        }
        let isThrough = await race(rounds: 3_000, comeAndGo, comeAndGo, comeAndGo)
        #expect(isThrough, "\(Self.shares[index].name) hangs")
        #expect(unheard.withLock { $0 } == 0)
        #expect(counted.live == 0)
        #expect(!subject.hasObservers)
    }

    @Test(
        "a source that ends while others come: each gets an end, from its own connection", arguments: 0..<shares.count)
    func ends(_ index: Int) async {
        let counted = Counted()
        let shared = Self.shares[index].share(counted.source(Observable.of(1, 2)))
        let ended = Locked(0)
        @Sendable func subscribe(_ round: Int) {
            _ = shared.subscribe(onCompleted: { ended.withLock { $0 += 1 } })
        }
        let isThrough = await race(rounds: 3_000, subscribe, subscribe)
        #expect(isThrough, "\(Self.shares[index].name) hangs")
        #expect(ended.withLock { $0 } == 6_000)
        #expect(counted.live == 0)
    }

    @Test("a subject is made once for a connection, however many need it at once")
    func subjectOnce() async {
        for _ in 0..<200 {
            let made = Locked(0)
            let source = PublishSubject<Int>()
            let shared = source.multicast { () -> PublishSubject<Int> in
                made.withLock { $0 += 1 }
                return PublishSubject()
            }
            let received = Locked(0)
            let bag = DisposeBag()
            let isThrough = await race(
                rounds: 1,
                { _ in shared.subscribe(onNext: { _ in received.withLock { $0 += 1 } }).disposed(by: bag) },
                { _ in shared.subscribe(onNext: { _ in received.withLock { $0 += 1 } }).disposed(by: bag) },
                { _ in shared.connect().disposed(by: bag) })
            #expect(isThrough)
            source.onNext(1)
            #expect(made.withLock { $0 } == 1)
            #expect(received.withLock { $0 } == 2)
        }
    }

    // MARK: - Events one at a time

    @Test("concurrent senders to a subject are serialized, also through a share", arguments: DeadlockTests.subjects)
    func serialised(_ case: DeadlockTests.SubjectCase) async {
        let (observable, observer) = `case`.make()
        let direct = GrammarChecker<Int>(), shared = GrammarChecker<Int>(), merged = GrammarChecker<Int>()
        _ = observable.subscribe(direct)
        _ = observable.share(replay: 1).subscribe(shared)
        _ = Observable.merge(observable, observable).subscribe(merged)
        let rounds = 2_000
        let isThrough = await race(
            rounds: rounds,
            { round in if round == rounds - 1 { observer.onCompleted() } else { observer.onNext(round) } },
            { observer.onNext($0) }, { observer.onNext($0) })
        #expect(isThrough)
        for checker in [direct, shared, merged] {
            #expect(checker.complaints == "")
            #expect(checker.ends == 1)
        }
    }
}
