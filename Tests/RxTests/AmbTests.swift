import Rx
import RxTest
import Testing
import TestSupport

@Suite("amb", .leakFree)
struct AmbTests {
    private let scheduler = TestScheduler(initialClock: 0)

    @Test("the first to have an element is followed, the other is disposed at that time")
    func firstElement() {
        let left = scheduler.createHotObservable([.next(150, 1), .next(220, 2), .completed(250)])
        let right = scheduler.createHotObservable([.next(150, 1), .next(210, 3), .error(230, Oops())])
        let observer = scheduler.start { left.amb(right) }
        #expect(observer.events == [.next(210, 3), .error(230, Oops())])
        #expect(left.subscriptions == [Subscription(200, 210)])
        #expect(right.subscriptions == [Subscription(200, 230)])
    }

    @Test("an end is an event as well: it decides")
    func firstEnd() {
        let left = scheduler.createHotObservable([.completed(210, Int.self)])
        let right = scheduler.createHotObservable([.next(220, 3), .completed(230)])
        let completed = scheduler.start { left.amb(right) }
        #expect(completed.events == [.completed(210)])
        #expect(right.subscriptions == [Subscription(200, 210)])

        let other = TestScheduler(initialClock: 0)
        let failing = other.createHotObservable([.error(210, Oops(), Int.self)])
        let late = other.createHotObservable([.next(220, 3), .completed(230)])
        let failed = other.start { late.amb(failing) }
        #expect(failed.events == [.error(210, Oops())])
        #expect(late.subscriptions == [Subscription(200, 210)])
    }

    @Test("never against never goes on until both are disposed")
    func never() {
        let left = scheduler.createHotObservable([.next(150, 1)])
        let right = scheduler.createHotObservable([.next(150, 1)])
        let observer = scheduler.start { left.amb(right) }
        #expect(observer.events == [])
        #expect(left.subscriptions == [Subscription(200, 1000)])
        #expect(right.subscriptions == [Subscription(200, 1000)])
    }

    @Test("of many, all but the winner are disposed; of none comes nothing")
    func many() {
        let sources = [240, 210, 230].map { scheduler.createHotObservable([.next($0, $0), .next(300, $0)]) }
        let observer = scheduler.start { Observable.amb(sources.map { $0.asObservable() }) }
        #expect(observer.events == [.next(210, 210), .next(300, 210)])
        #expect(
            sources.map(\.subscriptions) == [
                [Subscription(200, 210)], [Subscription(200, 1000)], [Subscription(200, 210)],
            ])
        #expect(marbles(of: Observable<Int>.amb([])) == "")
        #expect(marbles(of: Observable.amb([Observable.just(1), .just(2)])) == "1 |")
    }

    @Test("losers are disposed before the winner's first event is handed on")
    func order() {
        let notes = Notes()
        let left = PublishSubject<Int>(), right = PublishSubject<Int>()
        let subscription = left.asObservable().noting("left", in: notes).amb(right.noting("right", in: notes))
            .subscribe(onNext: { notes("\($0)") })
        right.onNext(1)
        subscription.dispose()
        #expect(notes.all == ["left subscribed", "right subscribed", "left disposed", "1", "right disposed"])
    }

    @Test("of several threads that start at once one wins, and all of its elements come")
    func race() async {
        for _ in 0..<200 {
            let subjects = (0..<3).map { _ in PublishSubject<Int>() }
            let found = Locked<[Int]>([]), ends = Locked(0)
            let subscription = Observable.amb(subjects.map { $0.asObservable() })
                .subscribe(
                    onNext: { element in found.withLock { $0.append(element) } },
                    onCompleted: { ends.withLock { $0 += 1 } })
            await withTaskGroup(of: Void.self) { group in
                for (number, subject) in subjects.enumerated() {
                    group.addTask {
                        for element in 0..<10 { subject.onNext(number * 10 + element) }
                        subject.onCompleted()
                    }
                }
            }
            let elements = found.withLock { $0 }
            #expect(elements == Array((elements.first ?? 0)..<(elements.first ?? 0) + 10))
            #expect(ends.withLock { $0 } == 1)
            #expect(subjects.allSatisfy { !$0.hasObservers })
            subscription.dispose()
        }
    }
}
