import Rx
import Testing

/// Checks, in a build with `-DTRACE_RESOURCES`, that each test lets go of all observables, stages and disposables it made.
/// Every suite has it: `@Suite("…", .leakFree)`. Tests run one at a time then (`make trace`); in other builds it does nothing.
struct LeakFree: SuiteTrait, TestTrait, TestScoping {
    var isRecursive: Bool { true }

    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        #if TRACE_RESOURCES
            // A scope is provided for each test case; suites themselves hold nothing.
            guard testCase != nil else { return try await function() }
            // What is made once and stays is made before the count.
            _ = Disposables.create()
            _ = CurrentThreadScheduler.isScheduleRequired
            let before = Resources.total
            try await function()
            // Queues let go of what they ran a moment later.
            #expect(
                await eventually { Resources.total == before }, "\(Resources.total - before) resources are still alive")
        #else
            try await function()
        #endif
    }
}

extension Trait where Self == LeakFree {
    static var leakFree: LeakFree { LeakFree() }
}
