internal import Dispatch

/// Worker processes, the continuous clock, and a thread for each engine.
package struct SystemEnginePlatform: EnginePlatform {
    private static let start = ContinuousClock.now

    package init() {}

    package var now: Duration { Self.start.duration(to: .now) }

    package func startWorker(
        executable: String, limits: JqLimits
    ) throws(WorkerStartError) -> WorkerProcess {
        try WorkerProcess(executable: executable, limits: limits)
    }

    package func makeDriver() -> EngineThread { EngineThread() }

    package func makeSignal() -> SemaphoreSignal { SemaphoreSignal() }
}

/// A signal over a semaphore.
package final class SemaphoreSignal: EngineSignal {
    private let semaphore = DispatchSemaphore(value: 0)

    package func send() { semaphore.signal() }

    package func wait(until deadline: Duration?) {
        guard let deadline else { return semaphore.wait() }
        let left = (deadline - SystemEnginePlatform().now).components
        let nanoseconds = left.seconds * 1_000_000_000 + left.attoseconds / 1_000_000_000
        _ = semaphore.wait(timeout: .now() + .nanoseconds(Int(nanoseconds)))
    }
}
