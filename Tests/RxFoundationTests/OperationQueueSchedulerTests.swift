import Foundation
import Rx
import RxBlocking
import RxFoundation
import TestSupport
import Testing

@Suite("OperationQueueScheduler", .leakFree)
struct OperationQueueSchedulerTests {
    private func serialQueue() -> OperationQueue {
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = 1
        return queue
    }

    @Test("actions run on the queue, in order where that is serial")
    func order() throws {
        let queue = serialQueue()
        let scheduler = OperationQueueScheduler(operationQueue: queue)
        let isThere = Observable.of(1, 2, 3).observe(on: scheduler).map { ($0, OperationQueue.current === queue) }
        let elements = try isThere.toBlocking(timeout: 10).toArray()
        #expect(elements.map(\.0) == [1, 2, 3])
        #expect(elements.allSatisfy { $0.1 })
        #expect(scheduler.operationQueue === queue)
        #expect(scheduler.queuePriority == .normal)
    }

    @Test("what is disposed before its turn does not run")
    func disposed() {
        let queue = serialQueue()
        let scheduler = OperationQueueScheduler(operationQueue: queue)
        let ran = Locked<[String]>([])
        queue.isSuspended = true
        let items = ["dropped", "kept"].map { name in
            scheduler.schedule(name) { name in
                ran.withLock { $0.append(name) }
                return Disposables.create { ran.withLock { $0.append("disposed") } }
            }
        }
        items[0].dispose()
        queue.isSuspended = false
        queue.waitUntilAllOperationsAreFinished()
        #expect(ran.withLock { $0 } == ["kept"])
        items[1].dispose()
        #expect(ran.withLock { $0 } == ["kept", "disposed"])
    }

    @Test("the priority decides among those that wait")
    func priority() {
        let queue = serialQueue()
        let ran = Locked<[String]>([])
        queue.isSuspended = true
        for (name, priority) in [("low", Operation.QueuePriority.veryLow), ("high", .veryHigh)] {
            let scheduler = OperationQueueScheduler(operationQueue: queue, queuePriority: priority)
            _ = scheduler.schedule(name) { name in
                ran.withLock { $0.append(name) }
                return Disposables.create()
            }
        }
        queue.isSuspended = false
        queue.waitUntilAllOperationsAreFinished()
        #expect(ran.withLock { $0 } == ["high", "low"])
    }
}
