import Dispatch
import Foundation
import Observation
import Rx
import RxFoundation
import Testing
import TestSupport

@Suite("tracking", .leakFree)
struct TrackingTests {
    private let seen = Locked<[String]>([])

    @Sendable private func note(_ text: String) { seen.withLock { $0.append(text) } }

    /// Waits until all these, in this order, have been seen.
    private func sees(_ texts: String...) async -> Bool { await eventually { seen.withLock { $0 } == texts } }

    @Test("the value comes at once, and after each change")
    @MainActor func changes() async {
        let model = Model()
        let subscription = RxObservable.tracking { model.title }.subscribe(onNext: note)
        #expect(seen.withLock { $0 } == ["a"])
        model.title = "b"
        // Announced before it happens, read after it.
        #expect(seen.withLock { $0 } == ["a"])
        #expect(await sees("a", "b"))
        model.title = "c"
        #expect(await sees("a", "b", "c"))
        subscription.dispose()
    }

    @Test("changes in one turn give one element, with the last value")
    @MainActor func severalChanges() async {
        let model = Model()
        let subscription = RxObservable.tracking { model.title }.subscribe(onNext: note)
        for title in ["b", "c", "d"] { model.title = title }
        #expect(await sees("a", "d"))
        subscription.dispose()
    }

    @Test("a change by a subscriber, within the delivery, is not lost")
    @MainActor func changeWithinDelivery() async {
        let model = Model()
        let subscription = RxObservable.tracking { model.count }.subscribe(onNext: { count in
            note("\(count)")
            MainActor.assumeIsolated { if count < 5 { model.count = count + 1 } }
        })
        #expect(await sees("0", "1", "2", "3", "4", "5"))
        subscription.dispose()
    }

    @Test("each reading decides which properties count")
    @MainActor func branches() async {
        let model = Model()
        let subscription = RxObservable.tracking { model.count == 0 ? model.title : "none" }.subscribe(onNext: note)
        model.count = 1
        #expect(await sees("a", "none"))
        model.title = "ignored"
        model.count = 0
        #expect(await sees("a", "none", "ignored"))
        subscription.dispose()
    }

    @Test("a subscriber on another thread gets the value in a turn of the main queue")
    @MainActor func otherThread() async {
        let model = Model()
        let values = RxObservable.tracking { model.title }
        let subscription = SerialDisposable()
        DispatchQueue.global().async {
            subscription.disposable = values.subscribe(onNext: { title in
                MainScheduler.ensureExecutingOnScheduler()
                note(title)
            })
        }
        #expect(await sees("a"))
        model.title = "b"
        #expect(await sees("a", "b"))
        subscription.dispose()
    }

    @Test("disposal ends it, also with a change that is announced")
    @MainActor func disposal() async {
        let model = Model()
        let subscription = RxObservable.tracking { model.title }.subscribe(onNext: note)
        model.title = "b"
        subscription.dispose()
        model.title = "c"
        await turns()
        #expect(seen.withLock { $0 } == ["a"])
    }

    @Test("take(1) leaves nothing behind in a model that does not change")
    @MainActor func once() async throws {
        let model = Model.lasting
        let reads = Locked(0)
        for _ in 0..<100 {
            _ = RxObservable.tracking { (reads.withLock { $0 += 1 }, model.title).1 }.take(1).subscribe(onNext: note)
        }
        #expect(seen.withLock { $0 } == Array(repeating: "a", count: 100))
        // The trait `.leakFree` finds registrations that the model still has.
        await turns()
        #expect(reads.withLock { $0 } == 100)
    }

    @Test("the model does not keep what is disposed, and nothing keeps the model")
    @MainActor func release() async {
        weak var model: Model?
        weak var held: Held?
        let subscription: any Disposable
        do {
            let object = Model(), other = Held()
            model = object
            held = other
            subscription = RxObservable.tracking { (other.use(), object.title).1 }.subscribe(onNext: note)
            object.title = "b"
            #expect(await sees("a", "b"))
        }
        #expect(model != nil)
        subscription.dispose()
        #expect(model == nil)
        #expect(held == nil)
    }

    @Test("with a weak capture the subscription does not keep the model")
    @MainActor func weakCapture() async {
        weak var model: Model?
        let subscription: any Disposable
        do {
            let object = Model()
            model = object
            subscription = RxObservable.tracking { [weak object] in object?.title ?? "gone" }.subscribe(onNext: note)
        }
        #expect(model == nil)
        #expect(seen.withLock { $0 } == ["a"])
        subscription.dispose()
    }

    @Test("a model that belongs to a queue is read there")
    func queue() async {
        let queue = DispatchQueue(label: "model")
        let key = DispatchSpecificKey<Bool>()
        queue.setSpecific(key: key, value: true)
        let model = QueueModel()
        // Its own serial queue would be another one: the model belongs to this.
        let scheduler = SerialDispatchQueueScheduler(queue: queue, internalSerialQueueName: "scheduler")
        let values = RxObservable.tracking(on: scheduler) {
            DispatchQueue.getSpecific(key: key) == true ? "\(model.count)" : "elsewhere"
        }
        let subscription = values.subscribe(onNext: note)
        #expect(await sees("0"))
        for count in 1...1000 { queue.async { model.count = count } }
        #expect(await eventually { seen.withLock { $0.last } == "1000" })
        let counts = seen.withLock { $0.compactMap { Int($0) } }
        #expect(counts == counts.sorted())
        #expect(counts.count == seen.withLock { $0.count })
        subscription.dispose()
        queue.sync { model.count = 0 }
        queue.sync {}
        #expect(seen.withLock { $0.last } == "1000")
    }

    @Test("MainScheduler.instance reads after the change, like asyncInstance")
    @MainActor func mainInstance() async {
        let model = QueueModel()
        let subscription = RxObservable.tracking(on: MainScheduler.instance) { "\(model.count)" }.subscribe(
            onNext: note)
        // At once only if nothing else waits there.
        #expect(await sees("0"))
        model.count = 1
        #expect(await sees("0", "1"))
        subscription.dispose()
    }

    @Test("a scheduler that would read within the change stops the program")
    func within() async {
        await #expect(processExitsWith: .failure) {
            let model = QueueModel()
            _ = RxObservable.tracking(on: CurrentThreadScheduler.instance) { model.count }.subscribe()
            model.count = 1
        }
    }

    /// Lets the turns of the main queue that are scheduled so far run.
    @MainActor private func turns() async {
        for _ in 0..<3 {
            await withCheckedContinuation { continuation in
                _ = MainScheduler.asyncInstance.schedule(()) { _ in
                    continuation.resume()
                    return Disposables.create()
                }
            }
        }
    }
}

@Observable @MainActor
private final class Model {
    static let lasting = Model()

    var title = "a"
    var count = 0
}

/// Changed and read on one queue only.
@Observable
private final class QueueModel: @unchecked Sendable {
    // Unchecked: see above.
    var count = 0
}

private final class Held: Sendable {
    func use() {}
}
