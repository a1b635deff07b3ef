public import Rx

/// The scheduler of drivers and signals.
public enum SharingScheduler {
    /// The mock of the current task.
    @TaskLocal static var mocked: (@Sendable () -> any SchedulerType)?

    static var isMocked: Bool { mocked != nil }

    /// Creates the scheduler on which drivers and signals deliver: a new `MainScheduler`, or what a mock creates.
    #if Migration
        @preconcurrency
    #endif
    public static var make: @Sendable () -> any SchedulerType { mocked ?? { MainScheduler() } }

    /// Replaces the scheduler of all drivers and signals that `action` creates, so that a test can run them in virtual
    /// time. Their closures and `drive` may then run on any thread.
    ///
    /// The mock applies to the current task and its children, not to other tasks and threads.
    ///
    /// - Parameters:
    ///   - scheduler: the replacement.
    ///   - action: creates and uses the sequences.
    public static func mock(scheduler: any SchedulerType, action: () throws -> Void) rethrows {
        try mock(makeScheduler: { scheduler }, action: action)
    }

    /// Replaces the schedulers of all drivers and signals that `action` creates by those that `makeScheduler` returns.
    /// Their closures and `drive` may then run on any thread.
    ///
    /// The mock applies to the current task and its children, not to other tasks and threads.
    ///
    /// - Parameters:
    ///   - makeScheduler: called whenever a sequence needs a scheduler.
    ///   - action: creates and uses the sequences.
    #if Migration
        @preconcurrency
    #endif
    public static func mock(
        makeScheduler: @escaping @Sendable () -> any SchedulerType, action: () throws -> Void
    ) rethrows {
        try $mocked.withValue(makeScheduler, operation: action)
    }

    /// Replaces the scheduler of all drivers and signals that `action` creates, so that a test can run them in virtual
    /// time. Their closures and `drive` may then run on any thread.
    ///
    /// The mock applies to the current task and its children, not to other tasks and threads.
    ///
    /// - Parameters:
    ///   - scheduler: the replacement.
    ///   - isolation: the actor on which `action` runs; the caller's.
    ///   - action: creates and uses the sequences.
    #if Migration
        @preconcurrency
    #endif
    public static func mock(
        scheduler: any SchedulerType, isolation: isolated (any Actor)? = #isolation, action: () async throws -> Void
    ) async rethrows {
        try await $mocked.withValue({ scheduler }, operation: action, isolation: isolation)
    }
}
