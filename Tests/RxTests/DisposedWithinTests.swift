import Rx
import TestSupport
import Testing

@Suite("A subscription that is disposed of from within", .leakFree)
struct DisposedWithinTests {
    private typealias Selector = @Sendable (Int) -> Observable<Int>

    @Test("a selector that disposes of it has nothing subscribed", arguments: ["flatMap", "flatMapFirst", "merge"])
    func selector(_ name: String) {
        let subject = PublishSubject<Int>()
        let subscription = SerialDisposable()
        let subscribed = Locked(0)
        let select: Selector = { _ in
            subscription.dispose()
            return .create { _ in
                subscribed.withLock { $0 += 1 }
                return Disposables.create()
            }
        }
        let result =
            switch name {
            case "flatMap": subject.flatMap(select)
            case "flatMapFirst": subject.flatMapFirst(select)
            default: subject.map(select).merge()
            }
        subscription.disposable = result.subscribe()
        subject.onNext(1)
        #expect(subscribed.withLock { $0 } == 0 && !subject.hasObservers)
    }

    @Test("combineLatest and withLatestFrom do not combine what came before the disposal and is delivered after it")
    func combination() {
        for usesLatest in [false, true] {
            // A subject would hold back what is sent within a delivery.
            let source = Locked<AnyObserver<Int>?>(nil)
            let send: @Sendable (Int) -> Void = { element in source.withLock { $0 }?.onNext(element) }
            let first = Observable<Int>.create { observer in
                source.withLock { $0 = observer }
                return Disposables.create()
            }
            let second = BehaviorSubject(value: 10)
            let subscription = SerialDisposable()
            let combined = Locked<[Int]>([])
            let combine: @Sendable (Int, Int) -> Int = { one, other in
                combined.withLock { $0.append(one + other) }
                return one + other
            }
            let result =
                usesLatest
                ? first.withLatestFrom(second, resultSelector: combine)
                : .combineLatest(first, second, resultSelector: combine)
            subscription.disposable = result.subscribe(onNext: { _ in
                send(2)
                subscription.dispose()
            })
            send(1)
            #expect(combined.withLock { $0 } == [11])
            source.withLock { $0 = nil }
        }
    }

    @Test("enumerated counts an element before it is sent, so that those which it leads to have the next numbers")
    func enumerated() {
        let source = Locked<AnyObserver<String>?>(nil)
        let seen = Locked<[String]>([])
        let send: @Sendable (String) -> Void = { element in source.withLock { $0 }?.onNext(element) }
        let subscription = Observable<String>.create { observer in
            source.withLock { $0 = observer }
            return Disposables.create()
        }
        .enumerated()
        .subscribe(onNext: { index, element in
            seen.withLock { $0.append("\(index) \(element)") }
            if element == "a" { send("b") }
        })
        send("a")
        send("c")
        #expect(seen.withLock { $0 } == ["0 a", "1 b", "2 c"])
        subscription.dispose()
        source.withLock { $0 = nil }
    }
}
