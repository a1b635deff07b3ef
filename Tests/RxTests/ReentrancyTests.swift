import Rx
import Testing
import TestSupport

/// What is sent from within a delivery comes after it, in the order it was sent, for every subscriber.
@Suite("Events sent from within a delivery", .leakFree)
struct ReentrancyTests {
    struct Case: CustomTestStringConvertible, Sendable {
        let testDescription: String
        /// What an early subscriber receives before anything is sent.
        var first = ""
        let make: @Sendable () -> (observable: Observable<Int>, send: @Sendable (Int) -> Void)
    }

    private static func subject<Subject: SubjectType & Observable<Int>>(_ subject: Subject) -> (
        observable: Observable<Int>, send: @Sendable (Int) -> Void
    ) where Subject.Observer: ObserverType<Int> {
        (subject, { subject.asObserver().onNext($0) })
    }

    static let cases: [Case] = [
        Case(testDescription: "PublishSubject") { subject(PublishSubject<Int>()) },
        Case(testDescription: "BehaviorSubject", first: "0 ") { subject(BehaviorSubject(value: 0)) },
        Case(testDescription: "ReplaySubject") { subject(ReplaySubject<Int>.create(bufferSize: 2)) },
        Case(testDescription: "unbounded ReplaySubject") { subject(ReplaySubject<Int>.createUnbounded()) },
        Case(testDescription: "PublishRelay") {
            let relay = PublishRelay<Int>()
            return (relay.asObservable(), { relay.accept($0) })
        },
        Case(testDescription: "BehaviorRelay", first: "0 ") {
            let relay = BehaviorRelay(value: 0)
            return (relay.asObservable(), { relay.accept($0) })
        },
        Case(testDescription: "ReplayRelay") {
            let relay = ReplayRelay<Int>.create(bufferSize: 2)
            return (relay.asObservable(), { relay.accept($0) })
        },
        Case(testDescription: "share") {
            let subject = PublishSubject<Int>()
            return (subject.share(), { subject.onNext($0) })
        },
        Case(testDescription: "share(replay: 1)") {
            let subject = PublishSubject<Int>()
            return (subject.share(replay: 1), { subject.onNext($0) })
        },
        Case(testDescription: "share(replay: 2, scope: .forever)") {
            let subject = PublishSubject<Int>()
            return (subject.share(replay: 2, scope: .forever), { subject.onNext($0) })
        },
        Case(testDescription: "replay(2), refCount") {
            let subject = PublishSubject<Int>()
            return (subject.replay(2).refCount(), { subject.onNext($0) })
        },
    ]

    @Test("they come in the order they were sent, to those before and after the one who sends", arguments: cases)
    func order(_ case: Case) {
        let (observable, send) = `case`.make()
        let before = Recorder<Int>(), after = Recorder<Int>(), own = Locked<[String]>([])
        let subscriptions = [
            observable.subscribe(before),
            observable.subscribe(onNext: { element in
                own.withLock { $0.append("<\(element)") }
                if element == 1 {
                    send(10)
                    send(20)
                }
                if element == 10 { send(100) }
                own.withLock { $0.append("\(element)>") }
            }),
            observable.subscribe(after),
        ]
        send(1)
        #expect(before.text == "\(`case`.first)1 10 20 100")
        #expect(after.text == "\(`case`.first)1 10 20 100")
        let first = `case`.first.isEmpty ? [] : ["<0", "0>"]
        #expect(own.withLock { $0 } == first + ["<1", "1>", "<10", "10>", "<20", "20>", "<100", "100>"])
        for subscription in subscriptions { subscription.dispose() }
    }

    @Test(
        "who is disposed from within a delivery does not get the rest of it, nor what was sent before in it",
        arguments: cases)
    func disposing(_ case: Case) {
        let (observable, send) = `case`.make()
        let later = SerialDisposable()
        let recorder = Recorder<Int>()
        let first = observable.subscribe(onNext: { element in
            if element == 1 {
                send(2)
                later.dispose()
            }
        })
        later.disposable = observable.subscribe(recorder)
        send(1)
        #expect(recorder.text + " " == (`case`.first.isEmpty ? " " : `case`.first))
        first.dispose()
    }

    @Test("an AsyncSubject takes its last element before the end, also from within")
    func async() {
        let subject = AsyncSubject<Int>()
        let recorder = Recorder<Int>(), late = Recorder<Int>()
        _ = subject.subscribe(onNext: { _ in
            subject.onNext(9)
            _ = subject.subscribe(late)
        })
        _ = subject.subscribe(recorder)
        subject.onNext(1)
        subject.onCompleted()
        #expect(recorder.text == "1 |")
        #expect(late.text == "1 |")
    }
}
