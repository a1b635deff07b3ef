/// The attempts of an execution whose failed work is tried again, at one moment.
///
/// A class, so that the record of an execution that is tried once has nothing but a nil reference for it.
public final class Attempts: Sendable {
    /// The failure of the last attempt, while the work waits for the next one.
    public struct Failure: Sendable {
        /// Why the attempt failed.
        public let error: ExecutionError
        /// The time from the failure to the next attempt.
        public let delay: Duration
        /// When the next attempt starts, in milliseconds since 1970.
        public let endsAt: Int64

        package init(_ error: ExecutionError, delay: Duration, endsAt: Int64) {
            self.error = error
            self.delay = delay
            self.endsAt = endsAt
        }
    }

    /// The number of the last attempt that has started, from 1.
    public let number: Int
    /// The most attempts that the action's definition allows.
    public let most: Int
    /// Nil while an attempt is executing, and after the end of the execution.
    public let failure: Failure?

    package init(_ number: Int, of most: Int, failure: Failure? = nil) {
        self.number = number
        self.most = most
        self.failure = failure
    }

    /// These attempts after the end of the execution.
    package var ended: Attempts { failure == nil ? self : Attempts(number, of: most) }

    /// These attempts for users who may not read the text of an error.
    package var withoutValues: Attempts {
        guard let failure else { return self }
        return Attempts(
            number, of: most,
            failure: Failure(failure.error.withoutValues, delay: failure.delay, endsAt: failure.endsAt))
    }
}

extension ExecutionError {
    /// The error without its text, for those who may not read it.
    package var withoutValues: ExecutionError {
        guard case .failed(let failure) = self else { return self }
        return .failed(WorkFailure(message: "not shown without the right to read it", mayPass: failure.mayPass))
    }
}
