import Dispatch
import Rx
import Testing
import TestSupport

@Suite("Members of a subject that come and go while it delivers", .leakFree)
struct SubjectMembersTests {
    @Test("those who join within a delivery receive what comes after it, however many they are")
    func joinWithin() {
        let subject = PublishSubject<Int>()
        let received = Locked<[Int]>([])
        let bag = DisposeBag()
        subject.subscribe(onNext: { element in
            guard element == 0 else { return }
            for _ in 0..<100 {
                subject.subscribe(onNext: { element in received.withLock { $0.append(element) } }).disposed(by: bag)
            }
        }).disposed(by: bag)
        subject.onNext(0)
        #expect(received.withLock { $0 } == [])
        subject.onNext(1)
        #expect(received.withLock { $0 } == Array(repeating: 1, count: 100))
        subject.onCompleted()
    }

    @Test("one that is disposed within the delivery gets nothing more of it, also after others have joined")
    func leaveWithin() {
        let subject = PublishSubject<Int>()
        let bag = DisposeBag()
        let calls = Locked(0)
        let victim = SerialDisposable()
        subject.subscribe(onNext: { _ in
            for _ in 0..<10 { subject.subscribe().disposed(by: bag) }
            victim.dispose()
        }).disposed(by: bag)
        victim.disposable = subject.map { _ in calls.withLock { $0 += 1 } }.subscribe()
        subject.onNext(1)
        #expect(calls.withLock { $0 } == 0)
        subject.onCompleted()
    }

    @Test("what leaves during a delivery that goes on and on is let go of meanwhile")
    func leaveWithinLongDelivery() {
        final class Held: Sendable {
            static let alive = Locked(0)
            init() { Held.alive.withLock { $0 += 1 } }
            deinit { Held.alive.withLock { $0 -= 1 } }
        }
        let subject = PublishSubject<Int>()
        let most = Locked(0)
        let subscription = subject.subscribe(onNext: { element in
            let held = Held()
            _ = subject.take(1).subscribe(onNext: { _ in withExtendedLifetime(held) {} })
            most.withLock { $0 = max($0, Held.alive.withLock { $0 }) }
            if element < 20_000 { subject.onNext(element + 1) }
        })
        subject.onNext(0)
        #expect(most.withLock { $0 } < 10)
        subscription.dispose()
        subject.onCompleted()
        #expect(Held.alive.withLock { $0 } == 0)
    }

    @Test("members leave in the middle and others come, and each element reaches those of its moment")
    func gaps() {
        let subject = PublishSubject<Int>()
        let received = Locked<[Int: Int]>([:])
        var subscriptions: [Int: any Disposable] = [:]
        var expected: [Int: Int] = [:]
        var random = SystemRandomNumberGenerator()
        for round in 0..<300 {
            subscriptions[round] = subject.subscribe(onNext: { _ in received.withLock { $0[round, default: 0] += 1 } })
            for key in subscriptions.keys where Int.random(in: 0..<8, using: &random) == 0 {
                subscriptions.removeValue(forKey: key)?.dispose()
            }
            for key in subscriptions.keys { expected[key, default: 0] += 1 }
            subject.onNext(round)
        }
        #expect(received.withLock { $0 } == expected)
        for subscription in subscriptions.values { subscription.dispose() }
        #expect(!subject.hasObservers)
    }

    @Test("while some come and go on other threads, those who stay receive everything, in one order", arguments: 0..<3)
    func churn(kind: Int) async {
        let subject: any SubjectType<Int>
        let send: @Sendable (Int) -> Void
        switch kind {
        case 0:
            let made = PublishSubject<Int>()
            (subject, send) = (made, made.onNext)
        case 1:
            let made = BehaviorSubject(value: -1)
            (subject, send) = (made, made.onNext)
        default:
            let made = ReplaySubject<Int>.create(bufferSize: 3)
            (subject, send) = (made, made.onNext)
        }
        let observable = subject.asObservable()
        let stayers = (0..<3).map { _ in Locked<[Int]>([]) }
        let bag = DisposeBag()
        for stayer in stayers {
            observable.filter { $0 >= 0 }.subscribe(onNext: { element in stayer.withLock { $0.append(element) } })
                .disposed(by: bag)
        }
        let perThread = 3_000
        await withTaskGroup(of: Void.self) { group in
            for thread in 0..<2 {
                group.addTask { for element in 0..<perThread { send(thread * perThread + element) } }
                group.addTask {
                    for round in 0..<1_000 {
                        let few = (0...round % 5).map { _ in observable.map { $0 + 1 }.subscribe() }
                        for subscription in few { subscription.dispose() }
                        _ = observable.take(1).take(until: Observable<Int>.never()).subscribe().dispose()
                    }
                }
            }
        }
        let first = stayers[0].withLock { $0 }
        #expect(first.sorted() == Array(0..<2 * perThread))
        for stayer in stayers { #expect(stayer.withLock { $0 } == first) }
    }

    @Test("an end that races elements and subscribers reaches everyone once")
    func racingEnd() async {
        for _ in 0..<200 {
            let subject = BehaviorSubject(value: 0)
            let ends = Locked(0)
            await withTaskGroup(of: Void.self) { group in
                group.addTask { for element in 0..<20 { subject.onNext(element) } }
                group.addTask { subject.onCompleted() }
                group.addTask {
                    for _ in 0..<20 { _ = subject.subscribe(onCompleted: { ends.withLock { $0 += 1 } }) }
                }
            }
            #expect(ends.withLock { $0 } == 20)
            #expect(!subject.hasObservers)
        }
    }

    @Test("a subject may be let go of from within its own delivery")
    func goesWithin() {
        let box = Locked<PublishSubject<Int>?>(PublishSubject<Int>())
        let recorder = Recorder<Int>()
        let subject = box.withLock { $0 }
        _ = subject?.subscribe(onNext: { _ in box.withLock { $0 = nil } })
        _ = subject?.subscribe(recorder)
        box.withLock { $0 }?.onNext(1)
        #expect(recorder.text == "1")
    }

    @Test("disposed within a delivery, a subject lets go of those who would come next")
    func disposeWithin() {
        let subject = PublishSubject<Int>()
        let recorder = Recorder<Int>()
        _ = subject.subscribe(onNext: { _ in subject.dispose() })
        _ = subject.subscribe(recorder)
        subject.onNext(1)
        subject.onNext(2)
        #expect(recorder.text == "")
        #expect(subject.isDisposed)
        #expect(marbles(of: subject) == "x")
    }
}
