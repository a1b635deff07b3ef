internal import Dispatch
internal import Rx
internal import RxStreams

/// The workers that no caller uses at the moment.
final class StreamWorkerPool: Sendable {
    // Sendable: a worker in the list is used by nobody.
    private struct Idle: @unchecked Sendable {
        var workers: [StreamWorker] = []
    }

    private let idle = Locked(Idle())
    private let free: DispatchSemaphore

    /// A pool for that many callers at a time.
    init(count: Int) { free = DispatchSemaphore(value: count) }

    /// Waits until fewer callers than workers are left and returns an idle worker, preferably one that has compiled the
    /// program; nil if the caller must start one.
    func take(for program: StreamProgram) -> StreamWorker? {
        free.wait()
        let taken = idle.withLock { idle -> Idle in
            guard let place = idle.workers.lastIndex(where: { $0.has(program) }) ?? idle.workers.indices.last
            else { return Idle() }
            return Idle(workers: [idle.workers.remove(at: place)])
        }
        return taken.workers.first
    }

    /// Ends a caller's use: with its worker, or with nil if that has ended.
    func put(_ worker: StreamWorker?) {
        if let worker {
            let returned = Idle(workers: [worker])
            idle.withLock { $0.workers += returned.workers }
        }
        free.signal()
    }
}
