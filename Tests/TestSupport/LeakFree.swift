internal import Rx
public import Testing

#if TRACE_RESOURCES
    internal import Glibc
#endif

/// Checks, in a build with `-DTRACE_RESOURCES`, that a test lets go of all observables, stages and disposables it made.
///
/// Every suite of Rx has it: `@Suite("…", .leakFree)`; suites that use Rx for other things have `.countedApart`. The
/// process has one count, so tests of the first kind run one at a time. Other builds count nothing.
///
/// In every build, both include `.ownThreads`.
public struct LeakFree: SuiteTrait, TestTrait, TestScoping {
    #if TRACE_RESOURCES
        @TaskLocal private static var isWithin = false
    #endif

    let checks: Bool

    public var isRecursive: Bool { true }

    public func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        // Called inside the gate below, so that the limit does not include the wait there.
        @Sendable func run() async throws {
            try await OwnThreads.ownThreads.provideScope(for: test, testCase: testCase, performing: function)
        }
        #if TRACE_RESOURCES
            // A scope is provided for each case of a test too; the suite and the test themselves hold nothing.
            // A suite within a suite gives its tests a second one.
            guard testCase != nil, !LeakFree.isWithin else { return try await run() }
            let gate = await Gate.enter(alone: checks)
            defer { gate.leave() }
            guard checks else { return try await LeakFree.$isWithin.withValue(true) { try await run() } }
            // What is made once and stays is made before the count.
            _ = CurrentThreadScheduler.isScheduleRequired
            let before = Resources.total
            try await LeakFree.$isWithin.withValue(true) { try await run() }
            // Queues let go of what they ran a moment later.
            let deadline = ContinuousClock.now + .seconds(5)
            while Resources.total != before, ContinuousClock.now < deadline {
                try? await Task.sleep(for: .milliseconds(1))
            }
            let left = Resources.total - before
            #expect(left == 0, "\(left) resources are still alive")
        #else
            try await run()
        #endif
    }
}

extension Trait where Self == LeakFree {
    public static var leakFree: LeakFree { LeakFree(checks: true) }
    public static var countedApart: LeakFree { LeakFree(checks: false) }
}

#if TRACE_RESOURCES
    /// A lock on the program's own file, since the test modules of a process share nothing else.
    private struct Gate {
        private let descriptor: Int32

        static func enter(alone: Bool) async -> Gate {
            let descriptor = open("/proc/self/exe", O_RDONLY | O_CLOEXEC)
            precondition(descriptor >= 0, "no file for the gate: errno \(errno)")
            // Ever longer, because a thousand tests may wait here at once.
            var wait = Duration.milliseconds(1)
            while flock(descriptor, (alone ? LOCK_EX : LOCK_SH) | LOCK_NB) != 0 {
                try? await Task.sleep(for: wait)
                wait = min(wait * 2, .milliseconds(200))
            }
            return Gate(descriptor: descriptor)
        }

        func leave() { close(descriptor) }
    }
#endif
