import Dispatch
import Rx
import RxTest
import Testing
import TestSupport

@Suite("Events sent from within a delivery of an operator of time", .leakFree)
struct TimeReentrancyTests {
    /// Runs `make` on a subject that is sent `3` from within the delivery of the first element handed on, at 210 and
    /// 220 `1` and `2`, and its completion at 600.
    private func events(
        _ make: @escaping @Sendable (Observable<Int>, TestScheduler) -> Observable<Int>
    ) -> [Recorded<Event<Int>>] {
        let scheduler = TestScheduler(initialClock: 0)
        let subject = PublishSubject<Int>()
        let hasSent = Locked(false)
        for (time, element) in [(210, 1), (220, 2)] {
            scheduler.scheduleAt(time) { subject.onNext(element) }
        }
        scheduler.scheduleAt(600) { subject.onCompleted() }
        return scheduler.start {
            make(subject, scheduler).do(onNext: { _ in
                let isFirst = hasSent.withLock { sent in
                    defer { sent = true }
                    return !sent
                }
                if isFirst { subject.onNext(3) }
            })
        }.events
    }

    @Test("delay keeps them for their own time")
    func delay() {
        #expect(
            events { $0.delay(.seconds(50), scheduler: $1) }
                == [.next(260, 1), .next(270, 2), .next(310, 3), .completed(650)])
    }

    @Test("throttle counts from the element they were sent from")
    func throttle() {
        #expect(
            events { $0.throttle(.seconds(50), scheduler: $1) }
                == [.next(210, 1), .next(260, 2), .completed(600)])
        #expect(
            events { $0.filter { $0 != 2 }.throttle(.seconds(50), scheduler: $1) }
                == [.next(210, 1), .next(260, 3), .completed(600)])
    }

    @Test("take(for:), skip and timeout hand them on after the one they were sent from")
    func passing() {
        let all: [Recorded<Event<Int>>] = [.next(210, 1), .next(210, 3), .next(220, 2)]
        #expect(events { $0.take(for: .seconds(50), scheduler: $1) } == all + [.completed(250)])
        #expect(events { $0.skip(.seconds(5), scheduler: $1) } == all + [.completed(600)])
        #expect(events { $0.timeout(.seconds(50), scheduler: $1) } == all + [.error(270, RxError.timeout)])
    }

    @Test("window puts them into the window that is open then")
    func window() {
        #expect(
            events { source, scheduler in
                source.window(timeSpan: .seconds(100), count: 1, scheduler: scheduler).map { $0.map { $0 * 10 } }
                    .merge()
            } == [.next(210, 10), .next(210, 30), .next(220, 20), .completed(600)])
    }

    @Test("a subscription disposed from within a delivery ends there, whatever waits", arguments: 0..<6)
    func disposedWithin(_ which: Int) {
        let operators: [@Sendable (Observable<Int>, TestScheduler) -> Observable<Int>] = [
            { $0.delay(.seconds(10), scheduler: $1) },
            { $0.debounce(.seconds(5), scheduler: $1) },
            { $0.throttle(.seconds(5), scheduler: $1) },
            { $0.buffer(timeSpan: .seconds(5), count: 3, scheduler: $1).map { $0.count } },
            { $0.window(timeSpan: .seconds(5), count: 3, scheduler: $1).flatMap { $0 } },
            { $0.sample(Observable<Int>.interval(.seconds(5), scheduler: $1)) },
        ]
        let scheduler = TestScheduler(initialClock: 0)
        let source = scheduler.createHotObservable((0..<50).map { .next(201 + $0 * 6, $0) } + [.completed(600)])
        let observer = scheduler.createObserver(Int.self)
        let subscription = SingleAssignmentDisposable()
        scheduler.scheduleAt(200) {
            subscription.setDisposable(
                operators[which](source, scheduler).do(onNext: { _ in subscription.dispose() }).subscribe(observer))
        }
        scheduler.start()
        #expect(observer.events.isEmpty)
        let end = source.subscriptions[0].unsubscribe
        #expect(source.subscriptions.count == 1 && end >= 201 && end <= 215)
        // Nothing was scheduled on: the last thing that happened is the end of the hot source.
        #expect(scheduler.clock == 600)
    }
}
