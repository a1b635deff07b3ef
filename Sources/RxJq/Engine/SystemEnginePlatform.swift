internal import Dispatch
package import RxPlatform

/// Worker processes, the monotonic clock of a platform, and a thread for each engine.
package struct SystemEnginePlatform: EnginePlatform {
    private let clock: MonotonicClock

    package init(clock: MonotonicClock) { self.clock = clock }

    package var now: Duration { clock.now }

    package func startWorker(
        executable: String, limits: JqLimits
    ) throws(WorkerStartError) -> WorkerProcess {
        try WorkerProcess(executable: executable, limits: limits)
    }

    package func makeDriver() -> EngineThread { EngineThread() }

    package func makeSignal() -> SemaphoreSignal { SemaphoreSignal(clock: clock) }
}

/// A signal over a semaphore.
package final class SemaphoreSignal: EngineSignal {
    private let semaphore = DispatchSemaphore(value: 0)
    private let clock: MonotonicClock

    init(clock: MonotonicClock) { self.clock = clock }

    package func send() { semaphore.signal() }

    package func wait(until deadline: Duration?) {
        guard let deadline else { return semaphore.wait() }
        let left = (deadline - clock.now).components
        let nanoseconds = left.seconds * 1_000_000_000 + left.attoseconds / 1_000_000_000
        _ = semaphore.wait(timeout: .now() + .nanoseconds(Int(nanoseconds)))
    }
}
