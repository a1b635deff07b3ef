internal import Rx
internal import RxHost
internal import RxPlatform
internal import RxSources
internal import RxTime

/// Starts executions by the clock that streams have: one schedule for all that is due in a daemon.
final class AlarmStartTimes: StartTimes {
    private let clock: any AlarmClock
    /// One execution after the other comes to its action; none of them waits.
    private let queue: WorkQueue

    init(_ clock: any AlarmClock, on queue: WorkQueue) {
        self.clock = clock
        self.queue = queue
    }

    func schedule(at time: Int64, _ body: @escaping @Sendable () -> Void) -> any Disposable {
        let (microseconds, overflows) = time.multipliedReportingOverflow(by: 1000)
        let alarm = clock.schedule(at: Instant(microseconds: overflows ? .max : microseconds), on: queue, body)
        return Disposables.create { [clock] in clock.cancel(alarm) }
    }
}
