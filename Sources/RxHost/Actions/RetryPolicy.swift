public import RxRecords
internal import Rx
internal import RxAction
internal import RxJSON
internal import RxPlatform

/// How often and when failed work is tried again.
public struct RetryPolicy: Sendable, Hashable {
    /// The largest `attempts`.
    public static let mostAttempts = 100

    /// All attempts, the first one counted: 1 to `mostAttempts`.
    public var attempts: Int
    /// The time between the first failure and the second attempt.
    public var delay: Duration
    /// The factor from one delay to the next; 1 or more.
    public var backoff: Double
    /// The longest delay.
    public var max: Duration

    /// Exponential backoff from one second to one minute, unless given.
    public init(attempts: Int, delay: Duration = .seconds(1), backoff: Double = 2, max: Duration = .seconds(60)) {
        self.attempts = attempts
        self.delay = delay
        self.backoff = backoff
        self.max = max
    }

    /// The time to wait after so many failures.
    func delay(after failures: Int) -> Duration {
        var wait = delay
        for _ in 1..<Swift.max(1, failures) where wait < max { wait = wait * backoff }
        return min(wait, max)
    }
}

/// A failure after which work is tried again.
public struct RetryNote: Sendable {
    /// The execution as it is now.
    public let record: ExecutionRecord
    /// The attempt that failed, from 1.
    public let attempt: Int
    /// The most attempts of this execution.
    public let attempts: Int
    /// Why the attempt failed, as one line.
    public let error: String
    /// The time until the next attempt.
    public let delay: Duration
}

/// Work that is tried again after failures that may be temporary.
struct RetriedWork: Sendable {
    let policy: RetryPolicy
    let context: WorkContext
    let scheduler: QueueScheduler
    let attempt: @Sendable (_ number: Int) -> Observable<RawJSON>
    let note: @Sendable (_ attempt: Int, any Error, Duration) -> Void

    func observable(from number: Int = 1) -> Observable<RawJSON> {
        attempt(number).catch { [self] error in
            guard number < policy.attempts, error.mayPass, !context.isCancelled else { return .error(error) }
            let delay = policy.delay(after: number)
            note(number, error, delay)
            return pause(delay, error).flatMap { [self] _ in
                context.isCancelled ? .error(error) : observable(from: number + 1)
            }
        }
    }

    /// One element after `delay`, or `error` as soon as the execution is canceled.
    private func pause(_ delay: Duration, _ error: any Error) -> Observable<Int> {
        .create { observer in
            let handler = context.onCancel { _ in observer.onError(error) }
            let timer = Observable<Int>.timer(delay.dispatchInterval, scheduler: scheduler).subscribe(observer)
            return Disposables.create(handler, timer)
        }
    }
}

extension Error {
    /// Whether the same work may succeed another time: yes, unless the failure excludes it.
    fileprivate var mayPass: Bool { (self as? WorkFailure)?.mayPass ?? true }
}
