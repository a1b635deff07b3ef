import Dispatch
import Rx
import RxPlatform
import TestSupport
import Testing

@testable import RxServer

@Suite("The threads for requests", .ownThreads)
struct RequestWorkersTests {
    /// A queue of the system that reports when somebody begins to wait for its work.
    private final class Awaited: WorkQueue, @unchecked Sendable {
        private let queue: WorkQueue
        private let onWait: @Sendable () -> Void

        init(_ queue: WorkQueue, onWait: @escaping @Sendable () -> Void) {
            self.queue = queue
            self.onWait = onWait
        }

        override func async(_ body: @escaping @Sendable () -> Void) { queue.async(body) }

        override func run(_ body: () -> Void) {
            onWait()
            queue.run(body)
        }
    }

    @Test("end with what has begun when they are stopped, and leave out what waits")
    func stop() async {
        let (gate, log) = (DispatchSemaphore(value: 0), Locked<[String]>([]))
        let queues = Queues(shared: Queues.system.shared) { label in
            Awaited(Queues.system.serial(label)) { gate.signal() }
        }
        let workers = RequestWorkers(queues)
        workers.run(for: 1) {
            log.withLock { $0.append("begins") }
            gate.wait()
            log.withLock { $0.append("ends") }
        }
        workers.run(for: 1) { log.withLock { $0.append("waited") } }
        #expect(await eventually { log.withLock { $0 } == ["begins"] })
        workers.stop()
        log.withLock { $0.append("stopped") }
        workers.run(for: 2) { log.withLock { $0.append("came later") } }
        workers.stop()
        #expect(log.withLock { $0 } == ["begins", "ends", "stopped"])
    }
}
