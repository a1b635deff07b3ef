import Dispatch
import Rx
import RxTest
import Testing
import TestSupport

@Suite("observe(on:) between threads, and its buffers", .leakFree)
struct ObserveOnTests {
    /// A queue that runs nothing until it is resumed.
    private func heldQueue() -> (DispatchQueue, SerialDispatchQueueScheduler) {
        let queue = DispatchQueue(label: "held")
        queue.suspend()
        return (queue, SerialDispatchQueueScheduler(queue: queue, internalSerialQueueName: "on held"))
    }

    @Test("ConcurrentMainScheduler leaves turns of the main queue to others while elements wait")
    @MainActor func turnsOfTheMainQueue() async {
        // A hundred turns: what other tests leave for the main queue may let some of them come earlier.
        let count = 100_000
        let source = PublishSubject<Int>()
        let received = Locked(0), receivedBefore = Locked<Int?>(nil)
        let subscription = source.observe(on: ConcurrentMainScheduler.instance).subscribe(onNext: { number in
            received.withLock { $0 += 1 }
            guard number == 0 else { return }
            DispatchQueue.main.async { receivedBefore.withLock { $0 = received.withLock { $0 } } }
        })
        sendElsewhere(count, to: source)
        #expect(await eventually { received.withLock { $0 } == count })
        #expect(await eventually { receivedBefore.withLock { $0 != nil } })
        #expect(receivedBefore.withLock { $0 } ?? count < count)
        subscription.dispose()
    }

    /// Sends that many elements on another thread while this one waits.
    private func sendElsewhere(_ count: Int, to source: PublishSubject<Int>) {
        let isDone = DispatchSemaphore(value: 0)
        DispatchQueue(label: "elsewhere").async {
            for number in 0..<count { source.onNext(number) }
            isDone.signal()
        }
        isDone.wait()
    }

    @Test("a source faster than its observer loses nothing and keeps its order")
    func fastSource() async {
        let received = Locked<[Int]>([])
        let isDone = Locked(false)
        let count = 50_000
        _ = Observable.range(start: 0, count: count)
            .observe(on: SerialDispatchQueueScheduler(qos: .default))
            .subscribe(
                onNext: { element in received.withLock { $0.append(element) } },
                onCompleted: { isDone.withLock { $0 = true } })
        #expect(await eventually { isDone.withLock { $0 } })
        #expect(received.withLock { $0 } == Array(0..<count))
    }

    @Test("an observer faster than its source gets each element, with a turn for each")
    func slowSource() async {
        let subject = PublishSubject<Int>()
        let received = Locked(0)
        let subscription = subject.observe(on: ConcurrentDispatchQueueScheduler(qos: .default))
            .subscribe(onNext: { element in received.withLock { $0 = element } })
        for element in 1...100 {
            subject.onNext(element)
            #expect(await eventually { received.withLock { $0 } == element })
        }
        subscription.dispose()
    }

    @Test("what waits when the source fails comes first")
    func errorLast() async {
        let (queue, scheduler) = heldQueue()
        let recorder = Recorder<Int>()
        let subject = PublishSubject<Int>()
        _ = subject.observe(on: scheduler).subscribe(recorder)
        for element in 1...40 { subject.onNext(element) }
        subject.onError(Oops())
        subject.onNext(41)
        #expect(recorder.count == 0)
        queue.resume()
        #expect(await eventually { recorder.count == 41 })
        #expect(recorder.text == (1...40).map(String.init).joined(separator: " ") + " x")
    }

    @Test("disposing within a delivery drops all that waits, and lets go of it")
    func disposeWithin() async {
        final class Element: Sendable {}
        let (queue, scheduler) = heldQueue()
        let subject = PublishSubject<Element>()
        let serial = SerialDisposable()
        let received = Locked(0)
        serial.disposable = subject.observe(on: scheduler).subscribe(onNext: { _ in
            let count = received.withLock { count in
                count += 1
                return count
            }
            if count == 3 { serial.dispose() }
        })
        weak var last: Element?
        for _ in 0..<50 {
            let element = Element()
            last = element
            subject.onNext(element)
        }
        #expect(last != nil)
        queue.resume()
        let isReleased = Locked(false)
        queue.async { isReleased.withLock { $0 = true } }
        #expect(await eventually { isReleased.withLock { $0 } })
        #expect(received.withLock { $0 } == 3)
        #expect(!subject.hasObservers)
        serial.dispose()
        #expect(last == nil)
    }

    @Test("a source that sends from several threads is delivered one at a time, all of it", arguments: [true, false])
    func severalSenders(isBounded: Bool) async {
        let perThread = 5_000
        let inside = Locked(0)
        let overlaps = Locked(0)
        let received = Locked<[Int]>([])
        let source = Observable<Int>.create { observer in
            DispatchQueue.global().async {
                DispatchQueue.concurrentPerform(iterations: 2) { thread in
                    for element in 0..<perThread { observer.onNext(thread * perThread + element) }
                }
                observer.onCompleted()
            }
            return Disposables.create()
        }
        let isDone = Locked(false)
        let buffering = isBounded ? Buffering.bounded(2 * perThread, whenFull: .error) : .unbounded
        _ = source.observe(on: ConcurrentDispatchQueueScheduler(qos: .default), buffering: buffering).subscribe(
            onNext: { element in
                let depth = inside.withLock { depth in
                    depth += 1
                    return depth
                }
                if depth > 1 { overlaps.withLock { $0 += 1 } }
                received.withLock { $0.append(element) }
                inside.withLock { $0 -= 1 }
            },
            onCompleted: { isDone.withLock { $0 = true } })
        #expect(await eventually { isDone.withLock { $0 } })
        #expect(overlaps.withLock { $0 } == 0)
        let all = received.withLock { $0 }
        #expect(all.sorted() == Array(0..<2 * perThread))
        for thread in 0..<2 {
            let own = all.filter { $0 / perThread == thread }
            #expect(own == own.sorted())
        }
    }

    @Test(
        "a full buffer drops as configured, and never an end",
        arguments: [
            (Buffering.Overflow.dropOldest, "4 5 |"), (.dropNewest, "1 2 |"), (.error, "1 2 x"),
        ])
    func bounded(whenFull: Buffering.Overflow, expected: String) async {
        let (queue, scheduler) = heldQueue()
        let recorder = Recorder<Int>()
        let subject = PublishSubject<Int>()
        _ = subject.observe(on: scheduler, buffering: .bounded(2, whenFull: whenFull)).subscribe(recorder)
        for element in 1...5 { subject.onNext(element) }
        if case .error = whenFull { #expect(!subject.hasObservers) }
        subject.onCompleted()
        queue.resume()
        #expect(await eventually { recorder.count == 3 })
        #expect(recorder.text == expected)
    }

    @Test("in virtual time a bounded buffer keeps the turns: one element each")
    func boundedInVirtualTime() {
        let scheduler = TestScheduler(initialClock: 0)
        let source = scheduler.createHotObservable([
            .next(210, 1), .next(210, 2), .next(210, 3), .next(220, 4), .completed(230),
        ])
        let observer = scheduler.start {
            source.observe(on: scheduler, buffering: .bounded(2, whenFull: .dropNewest))
        }
        #expect(observer.events == [.next(211, 1), .next(212, 2), .next(221, 4), .completed(231)])
        #expect(source.subscriptions == [Subscription(200, 230)])
    }
}
