import Dispatch
import Rx
import RxTest
import Testing
import TestSupport

/// Each window by its number: `0(` it is opened, `0:1` an element, `0|` or `0x` its end.
private func flat(_ windows: Observable<Observable<Int>>) -> Observable<String> {
    let opened = Locked(0)
    return windows.flatMap { window in
        let number = opened.withLock {
            $0 += 1
            return $0 - 1
        }
        return window.materialize().map { event in
            switch event {
            case .next(let element): "\(number):\(element)"
            case .error: "\(number)x"
            case .completed: "\(number)|"
            }
        }.startWith("\(number)(")
    }
}

@Suite("window(timeSpan:count:)", .leakFree)
struct WindowTests {
    @Test("a window is closed when it has had its count or its time is over; the next opens at once, its time anew")
    func timeOrCount() {
        let scheduler = TestScheduler(initialClock: 0)
        let source = scheduler.createHotObservable([
            .next(150, 0), .next(205, 1), .next(210, 2), .next(230, 3), .next(280, 4), .next(320, 5), .next(350, 6),
            .next(351, 7), .next(420, 8), .completed(500),
        ])
        let observer = scheduler.start {
            flat(source.window(timeSpan: .seconds(70), count: 3, scheduler: scheduler))
        }
        #expect(
            observer.events == [
                .next(200, "0("), .next(205, "0:1"), .next(210, "0:2"), .next(230, "0:3"), .next(230, "0|"),
                .next(230, "1("), .next(280, "1:4"), .next(300, "1|"),
                .next(300, "2("), .next(320, "2:5"), .next(350, "2:6"), .next(351, "2:7"), .next(351, "2|"),
                .next(351, "3("), .next(420, "3:8"), .next(421, "3|"),
                .next(421, "4("), .next(491, "4|"),
                .next(491, "5("), .next(500, "5|"), .completed(500),
            ])
        #expect(source.subscriptions == [Subscription(200, 500)])
    }

    @Test("an error goes to the open window, then to the outer sequence")
    func failing() {
        let scheduler = TestScheduler(initialClock: 0)
        let source = scheduler.createHotObservable([.next(210, 1), .error(250, Oops())])
        let observer = scheduler.start {
            flat(source.window(timeSpan: .seconds(100), count: 3, scheduler: scheduler))
        }
        #expect(
            observer.events == [.next(200, "0("), .next(210, "0:1"), .next(250, "0x"), .error(250, Oops())])
        #expect(source.subscriptions == [Subscription(200, 250)])
    }

    @Test("an empty sequence gives one empty window; one that never sends gives one each time span")
    func nothing() {
        let scheduler = TestScheduler(initialClock: 0)
        let empty = scheduler.start {
            flat(Observable<Int>.empty().window(timeSpan: .seconds(300), count: 2, scheduler: scheduler))
        }
        #expect(empty.events == [.next(200, "0("), .next(200, "0|"), .completed(200)])
        let other = TestScheduler(initialClock: 0)
        let never = other.start {
            flat(Observable<Int>.never().window(timeSpan: .seconds(300), count: 2, scheduler: other))
        }
        #expect(
            never.events == [
                .next(200, "0("), .next(500, "0|"), .next(500, "1("), .next(800, "1|"), .next(800, "2("),
            ])
    }

    @Test("without a count only time counts")
    func timeOnly() {
        let scheduler = TestScheduler(initialClock: 0)
        let source = scheduler.createHotObservable([.next(210, 1), .next(250, 2), .next(300, 3), .completed(350)])
        let observer = scheduler.start {
            flat(source.window(timeSpan: .seconds(100), count: 0, scheduler: scheduler))
        }
        #expect(
            observer.events == [
                .next(200, "0("), .next(210, "0:1"), .next(250, "0:2"), .next(300, "0:3"), .next(300, "0|"),
                .next(300, "1("), .next(350, "1|"), .completed(350),
            ])
    }

    @Test("with everything disposed the source is let go of")
    func disposed() {
        let scheduler = TestScheduler(initialClock: 0)
        let source = scheduler.createHotObservable([.next(210, 1), .next(260, 2)])
        let observer = scheduler.start(disposed: 250) {
            flat(source.window(timeSpan: .seconds(30), count: 9, scheduler: scheduler))
        }
        #expect(
            observer.events == [
                .next(200, "0("), .next(210, "0:1"), .next(230, "0|"), .next(230, "1("),
            ])
        #expect(source.subscriptions == [Subscription(200, 250)])
        #expect(scheduler.clock == 260)
    }

    /// A subscription to windows that is disposed at 250, and subscriptions to the windows that are not.
    private final class Listeners: Sendable {
        let scheduler = TestScheduler(initialClock: 0)
        let source: TestableObservable<Int>
        let opened = Locked<[Observable<Int>]>([])
        let observers = Locked<[TestableObserver<Int>]>([])
        let subscriptions = CompositeDisposable()

        init(timeSpan: RxTimeInterval, count: Int = 0, listen: Bool = true) {
            source = scheduler.createHotObservable([
                .next(210, 1), .next(260, 2), .next(290, 3), .next(310, 4), .completed(900),
            ])
            let outer = SingleAssignmentDisposable()
            scheduler.scheduleAt(200) { [self] in
                outer.setDisposable(
                    source.window(timeSpan: timeSpan, count: count, scheduler: scheduler).subscribe(onNext: {
                        [self] window in
                        opened.withLock { $0.append(window) }
                        if !listen { return }
                        let observer = scheduler.createObserver(Int.self)
                        observers.withLock { $0.append(observer) }
                        subscriptions.insert(window.subscribe(observer))
                    }))
            }
            scheduler.scheduleAt(250) { outer.dispose() }
        }

        func events(_ window: Int) -> [Recorded<Event<Int>>] { observers.withLock { $0[window].events } }
    }

    @Test(
        "with the outer subscription disposed, an open window still gets its elements and its end, then the source goes"
    )
    func windowOutlivesOuter() {
        let listeners = Listeners(timeSpan: .seconds(100))
        listeners.scheduler.start()
        #expect(listeners.observers.withLock { $0.count } == 1)
        #expect(listeners.events(0) == [.next(210, 1), .next(260, 2), .next(290, 3), .completed(300)])
        #expect(listeners.source.subscriptions == [Subscription(200, 300)])
    }

    @Test("with the outer subscription disposed, the last one to leave a window lets go of the source")
    func lastOneLeaves() {
        let listeners = Listeners(timeSpan: .seconds(100))
        listeners.scheduler.scheduleAt(270) { listeners.subscriptions.dispose() }
        listeners.scheduler.start()
        #expect(listeners.events(0) == [.next(210, 1), .next(260, 2)])
        #expect(listeners.source.subscriptions == [Subscription(200, 270)])
    }

    @Test("with the outer subscription disposed and no one in a window, the source goes, and windows stay silent")
    func nobodyListens() {
        let listeners = Listeners(timeSpan: .seconds(30), listen: false)
        let closed = listeners.scheduler.createObserver(Int.self)
        let open = listeners.scheduler.createObserver(Int.self)
        let silent = SingleAssignmentDisposable()
        listeners.scheduler.scheduleAt(255) {
            let windows = listeners.opened.withLock { $0 }
            _ = windows[0].subscribe(closed)
            silent.setDisposable(windows[1].subscribe(open))
        }
        listeners.scheduler.scheduleAt(600) { silent.dispose() }
        listeners.scheduler.start()
        #expect(closed.events == [.completed(255)])
        #expect(open.events == [])
        #expect(listeners.source.subscriptions == [Subscription(200, 250)])
    }

    @Test("a window hands on what comes while one is subscribed, to all who are")
    func lateSubscriber() {
        let listeners = Listeners(timeSpan: .seconds(100))
        let late = listeners.scheduler.createObserver(Int.self)
        listeners.scheduler.scheduleAt(280) {
            let window = listeners.opened.withLock { $0[0] }
            listeners.subscriptions.insert(window.subscribe(late))
        }
        listeners.scheduler.start()
        #expect(late.events == [.next(290, 3), .completed(300)])
        #expect(listeners.source.subscriptions == [Subscription(200, 300)])
    }
}
