public import Testing

/// Runs the tests of a suite on threads of their own, a few at a time, and limits the time that each takes.
///
/// Swift Testing starts all tests of a process at once, on Swift's pool, which has one thread per core. A test that
/// blocks takes a thread from all others, and `.timeLimit` counts the time that a test waits for a thread. Every suite
/// whose tests block, start threads or processes, or wait until a deadline has this trait: `@Suite("…", .ownThreads)`.
/// `.leakFree` and `.countedApart` include it. `.ci/own-threads` checks this.
///
/// A test and its child tasks may block. `Task { }` and `Task.detached { }` run on Swift's pool and must not block.
public struct OwnThreads: SuiteTrait, TestTrait, TestScoping {
    /// Enough for tests that mostly wait; with more, tests that compute slow each other down on a small machine.
    static let testsAtATime = 6

    private static let admission = Admission(width: testsAtATime)
    @TaskLocal private static var isWithin = false

    /// The longest time that a test may take, measured from its admission.
    let limit: Duration

    public var isRecursive: Bool { true }

    public func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        // Suites and parametrized tests have scopes, too, and a test has one from each suite around it.
        guard testCase != nil, !OwnThreads.isWithin else { return try await function() }
        // A test's own limit is the last one.
        let limit = test.traits.compactMap { ($0 as? OwnThreads)?.limit }.last ?? limit
        await OwnThreads.admission.enter()
        let result: Result<Void, any Error> = await OwnThreads.$isWithin.withValue(true) {
            do {
                return .success(
                    try await withTaskExecutorPreference(ThreadPool.shared) {
                        try await withLimit(limit, at: test.sourceLocation, function)
                    })
            } catch {
                return .failure(error)
            }
        }
        await OwnThreads.admission.leave()
        try result.get()
    }
}

extension Trait where Self == OwnThreads {
    /// The default limit leaves room for the slowest test under ThreadSanitizer on a busy machine.
    public static var ownThreads: OwnThreads { OwnThreads(limit: .seconds(300)) }
    public static func ownThreads(limit: Duration) -> OwnThreads { OwnThreads(limit: limit) }
}
