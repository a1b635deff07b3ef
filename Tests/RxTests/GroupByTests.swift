import Rx
import RxTest
import Testing
import TestSupport

@Suite("groupBy", .leakFree)
struct GroupByTests {
    @Test("elements go to the group of their key, and groups are handed on when they begin")
    func groups() {
        let scheduler = TestScheduler(initialClock: 0)
        let source = scheduler.createHotObservable([
            .next(210, 1), .next(220, 2), .next(230, 3), .next(240, 4), .completed(250),
        ])
        let keys = scheduler.createObserver(String.self)
        let observer = scheduler.start {
            source.groupBy { $0.isMultiple(of: 2) ? "even" : "odd" }
                .do(onNext: { keys.onNext($0.key) })
                .flatMap { group in group.map { "\(group.key) \($0)" } }
        }
        #expect(keys.events == [.next(210, "odd"), .next(220, "even")])
        #expect(
            observer.events == [
                .next(210, "odd 1"), .next(220, "even 2"), .next(230, "odd 3"), .next(240, "even 4"), .completed(250),
            ])
        #expect(source.subscriptions == [Subscription(200, 250)])
    }

    @Test("the source stays subscribed while the outer sequence or a group is")
    func lifetime() {
        let source = PublishSubject<Int>()
        let groups = Locked<[GroupedObservable<Int, Int>]>([])
        let outer = source.groupBy { $0 % 3 }.subscribe(onNext: { group in groups.withLock { $0.append(group) } })
        source.onNext(3)
        source.onNext(4)
        let first = Recorder<Int>(), second = Recorder<Int>()
        let inFirst = groups.withLock { $0[0] }.subscribe(first)
        let inSecond = groups.withLock { $0[1] }.subscribe(second)
        outer.dispose()
        #expect(source.hasObservers)
        for element in 5...9 { source.onNext(element) }
        inFirst.dispose()
        #expect(source.hasObservers)
        source.onNext(10)
        inSecond.dispose()
        #expect(!source.hasObservers)
        #expect(first.text == "6 9")
        #expect(second.text == "7 10")
        #expect(groups.withLock { $0.count } == 2)
    }

    @Test("without groups subscribed, disposing the outer sequence disposes the source")
    func outerOnly() {
        let source = PublishSubject<Int>()
        let outer = source.groupBy { $0 }.subscribe()
        source.onNext(1)
        outer.dispose()
        #expect(!source.hasObservers)
    }

    @Test(
        "an error of the source or of the selector goes to all groups, then to the outer sequence", arguments: [0, 1])
    func errors(ofSelector: Int) {
        let source = PublishSubject<Int>()
        let log = Locked<[String]>([])
        let outer = source.groupBy { (element: Int) throws -> Int in
            if element < 0 { throw Oops() }
            return element % 2
        }.subscribe(
            onNext: { group in
                _ = group.subscribe(
                    onNext: { element in log.withLock { $0.append("\(group.key): \(element)") } },
                    onError: { _ in log.withLock { $0.append("\(group.key): x") } })
            },
            onError: { _ in log.withLock { $0.append("x") } })
        source.onNext(1)
        source.onNext(2)
        if ofSelector == 1 { source.onNext(-1) } else { source.onError(Oops()) }
        #expect(log.withLock { $0 } == ["1: 1", "0: 2", "1: x", "0: x", "x"])
        #expect(!source.hasObservers)
        outer.dispose()
    }

    @Test("groups end with the source, and late subscribers get the end")
    func ends() {
        let source = PublishSubject<Int>()
        let groups = Locked<[GroupedObservable<Int, Int>]>([])
        let outer = Recorder<GroupedObservable<Int, Int>>()
        _ = source.groupBy { $0 }.do(onNext: { group in groups.withLock { $0.append(group) } }).subscribe(outer)
        source.onNext(1)
        source.onCompleted()
        #expect(outer.count == 2)
        #expect(marbles(of: groups.withLock { $0[0] }.asObservable()) == "|")
        groups.withLock { $0 = [] }
    }

    @Test("a group left and entered again goes on")
    func again() {
        let source = PublishSubject<Int>()
        let groups = Locked<[GroupedObservable<Int, Int>]>([])
        let outer = source.groupBy { _ in 0 }.subscribe(onNext: { group in groups.withLock { $0.append(group) } })
        source.onNext(1)
        let first = Recorder<Int>(), second = Recorder<Int>()
        groups.withLock { $0[0] }.subscribe(first).dispose()
        let subscription = groups.withLock { $0[0] }.subscribe(second)
        source.onNext(2)
        #expect(first.text == "")
        #expect(second.text == "2")
        outer.dispose()
        subscription.dispose()
        #expect(!source.hasObservers)
        groups.withLock { $0 = [] }
    }

    @Test("a client can make a group of its own")
    func made() {
        let group = GroupedObservable(key: "a", source: Observable.of(1, 2))
        #expect(group.key == "a")
        #expect(marbles(of: group.asObservable()) == "1 2 |")
        #expect(marbles(of: group.map { $0 * 2 }) == "2 4 |")
    }
}
