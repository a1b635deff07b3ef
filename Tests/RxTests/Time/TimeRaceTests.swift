import Dispatch
import Rx
import Testing
import TestSupport

/// Operators of time over queues, their source and their timers on different threads.
@Suite("Races of sources and timers", .leakFree)
struct TimeRaceTests {
    /// Receives events, and notes when two overlap or one comes after the end.
    private final class Watch<Element: Sendable>: ObserverType {
        private struct State {
            var elements: [Element] = []
            var ends = 0
            var inside = 0
            var faults = 0
        }

        private let state = Locked(State())

        func on(_ event: Event<Element>) {
            state.withLock {
                $0.inside += 1
                if $0.inside > 1 || $0.ends > 0 { $0.faults += 1 }
            }
            state.withLock {
                switch event {
                case .next(let element): $0.elements.append(element)
                case .error, .completed: $0.ends += 1
                }
                $0.inside -= 1
            }
        }

        var elements: [Element] { state.withLock { $0.elements } }
        var ends: Int { state.withLock { $0.ends } }
        var faults: Int { state.withLock { $0.faults } }
    }

    private static let elements = 20_000
    private static let short = RxTimeInterval.microseconds(50)

    private let timers = ConcurrentDispatchQueueScheduler(qos: .default)

    /// Sends 0 ..< count on another thread, then the completion.
    private func send(_ count: Int = TimeRaceTests.elements, to subject: PublishSubject<Int>) {
        DispatchQueue.global().async {
            for element in 0..<count { subject.onNext(element) }
            subject.onCompleted()
        }
    }

    @Test("buffer loses nothing, keeps the order and its bound")
    func buffer() async {
        let subject = PublishSubject<Int>(), watch = Watch<[Int]>()
        _ = subject.buffer(timeSpan: TimeRaceTests.short, count: 7, scheduler: timers).subscribe(watch)
        send(to: subject)
        #expect(await eventually { watch.ends == 1 })
        #expect(watch.elements.flatMap { $0 } == Array(0..<TimeRaceTests.elements))
        #expect(watch.elements.allSatisfy { $0.count <= 7 })
        #expect(watch.faults == 0)
    }

    @Test("window loses nothing, keeps the order and its bound, and ends each window once")
    func window() async {
        let subject = PublishSubject<Int>(), watch = Watch<[Int]>()
        let opened = Locked(0)
        _ = subject.window(timeSpan: TimeRaceTests.short, count: 7, scheduler: timers)
            .do(onNext: { _ in opened.withLock { $0 += 1 } })
            .flatMap { $0.reduce([]) { $0 + [$1] } }.subscribe(watch)
        send(to: subject)
        #expect(await eventually { watch.ends == 1 })
        #expect(watch.elements.flatMap { $0 } == Array(0..<TimeRaceTests.elements))
        #expect(watch.elements.allSatisfy { $0.count <= 7 })
        #expect(watch.elements.count == opened.withLock { $0 })
        #expect(watch.faults == 0)
    }

    @Test("throttle and debounce keep the order and end with the last element")
    func throttleAndDebounce() async {
        let subject = PublishSubject<Int>()
        let throttled = Watch<Int>(), firsts = Watch<Int>(), debounced = Watch<Int>()
        _ = subject.throttle(TimeRaceTests.short, scheduler: timers).subscribe(throttled)
        _ = subject.throttle(TimeRaceTests.short, latest: false, scheduler: timers).subscribe(firsts)
        _ = subject.debounce(.nanoseconds(1), scheduler: timers).subscribe(debounced)
        send(to: subject)
        #expect(await eventually { throttled.ends == 1 && firsts.ends == 1 && debounced.ends == 1 })
        for watch in [throttled, firsts, debounced] {
            let seen = watch.elements
            #expect(zip(seen, seen.dropFirst()).allSatisfy { $0 < $1 })
            #expect(watch.faults == 0)
        }
        #expect(throttled.elements.last == TimeRaceTests.elements - 1)
        #expect(debounced.elements.last == TimeRaceTests.elements - 1)
        #expect(firsts.elements.first == 0)
    }

    @Test("delay loses nothing and keeps the order")
    func delay() async {
        let subject = PublishSubject<Int>(), watch = Watch<Int>()
        _ = subject.delay(TimeRaceTests.short, scheduler: timers).subscribe(watch)
        send(to: subject)
        #expect(await eventually { watch.ends == 1 })
        #expect(watch.elements == Array(0..<TimeRaceTests.elements))
        #expect(watch.faults == 0)
    }

    @Test("sample keeps the order, its sampler on another thread")
    func sample() async {
        let subject = PublishSubject<Int>(), sampler = PublishSubject<Int>(), watch = Watch<Int>()
        let subscription = subject.sample(sampler).subscribe(watch)
        send(to: subject)
        send(to: sampler)
        #expect(await eventually { !subject.hasObservers && !sampler.hasObservers || watch.ends == 1 })
        let seen = watch.elements
        #expect(zip(seen, seen.dropFirst()).allSatisfy { $0 < $1 })
        #expect(watch.faults == 0)
        // It goes on in silence when the sampler was the first to complete.
        subscription.dispose()
    }

    @Test("an element and the alarm of timeout: one of them wins, and the other sequence is subscribed once at most")
    func timeout() async {
        let rounds = 2_000
        let ended = Locked(0), faults = Locked(0), took = Locked(0)
        for round in 0..<rounds {
            let subject = PublishSubject<Int>(), watch = Watch<Int>(), subscribed = Locked(0)
            let other = Observable<Int>.deferred {
                subscribed.withLock { $0 += 1 }
                return .of(8, 9)
            }
            _ = subject.timeout(.nanoseconds(1_000 + round * 10), other: other, scheduler: timers).do(onDispose: {
                let seen = watch.elements, others = subscribed.withLock { $0 }
                let isRight =
                    others == 0 ? seen == [1, 2] : others == 1 && [[8, 9], [1, 8, 9], [1, 2, 8, 9]].contains(seen)
                if !isRight || watch.faults > 0 { faults.withLock { $0 += 1 } }
                if others == 1 { took.withLock { $0 += 1 } }
                ended.withLock { $0 += 1 }
            }).subscribe(watch)
            DispatchQueue.global().async {
                subject.onNext(1)
                subject.onNext(2)
                subject.onCompleted()
            }
        }
        #expect(await eventually { ended.withLock { $0 } == rounds })
        #expect(faults.withLock { $0 } == 0)
    }

    @Test("disposed while its timer goes off, an operator sends nothing once the queue is through", arguments: 0..<9)
    func disposed(_ which: Int) async {
        let queue = SerialDispatchQueueScheduler(qos: .default)
        let soon = RxTimeInterval.nanoseconds(1)
        let sources: [@Sendable (Observable<Int>) -> Observable<Int>] = [
            { _ in .interval(soon, scheduler: queue) },
            { _ in .timer(soon, scheduler: queue) },
            { $0.delay(soon, scheduler: queue) },
            { $0.debounce(soon, scheduler: queue) },
            { $0.throttle(.microseconds(1), scheduler: queue) },
            { $0.buffer(timeSpan: soon, count: 2, scheduler: queue).map { $0.count } },
            { $0.window(timeSpan: soon, count: 2, scheduler: queue).flatMap { $0 } },
            { $0.timeout(soon, other: Observable.of(8, 9), scheduler: queue) },
            { $0.delaySubscription(soon, scheduler: queue) },
        ]
        let late = Locked(0), through = Locked(0)
        let rounds = 500
        for round in 0..<rounds {
            let subject = PublishSubject<Int>(), isOver = Locked(false)
            let subscription = sources[which](subject).subscribe(onNext: { _ in
                if isOver.withLock({ $0 }) { late.withLock { $0 += 1 } }
            })
            for element in 0..<(round % 5) { subject.onNext(element) }
            subscription.dispose()
            // What the queue was in the middle of is through when its next turn comes.
            _ = queue.schedule(()) { _ in
                isOver.withLock { $0 = true }
                through.withLock { $0 += 1 }
                return Disposables.create()
            }
            subject.onNext(100)
        }
        #expect(await eventually { through.withLock { $0 } == rounds })
        let settled = Locked(false)
        _ = queue.scheduleRelative((), dueTime: .milliseconds(2)) { _ in
            settled.withLock { $0 = true }
            return Disposables.create()
        }
        #expect(await eventually { settled.withLock { $0 } })
        #expect(late.withLock { $0 } == 0)
    }

    @Test("take(for:) and skip, elements on one thread and the time on another, split a sequence in order")
    func takeAndSkip() async {
        let subject = PublishSubject<Int>(), taken = Watch<Int>(), rest = Watch<Int>()
        _ = subject.take(for: .microseconds(200), scheduler: timers).subscribe(taken)
        _ = subject.skip(.microseconds(200), scheduler: timers).subscribe(rest)
        send(to: subject)
        #expect(await eventually { taken.ends == 1 && rest.ends == 1 })
        #expect(taken.elements == Array(0..<taken.elements.count))
        #expect(rest.elements == Array((TimeRaceTests.elements - rest.elements.count)..<TimeRaceTests.elements))
        #expect(taken.faults + rest.faults == 0)
    }

    @Test("an element of interval that takes longer than the period overlaps with none, on a concurrent queue too")
    func interval() async {
        let inside = Locked(0), overlaps = Locked(0), count = Locked(0)
        let subscription = Observable<Int>.interval(.microseconds(1), scheduler: timers).subscribe(onNext: { _ in
            let now = inside.withLock {
                $0 += 1
                return $0
            }
            if now > 1 { overlaps.withLock { $0 += 1 } }
            let seen = count.withLock {
                $0 += 1
                return $0
            }
            // Longer than a microsecond.
            var sum = 0
            for number in 0..<(1_000 + seen % 7) { sum &+= number }
            withExtendedLifetime(sum) {}
            inside.withLock { $0 -= 1 }
        })
        #expect(await eventually { count.withLock { $0 } >= 200 })
        subscription.dispose()
        #expect(overlaps.withLock { $0 } == 0)
    }
}
