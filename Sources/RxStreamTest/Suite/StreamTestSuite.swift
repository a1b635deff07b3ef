public import RxStreams

/// Runs tests of a configuration.
public struct StreamTestSuite: Sendable {
    private let configuration: TestedConfiguration
    private let evaluator: any ProgramEvaluator

    /// Creates a suite whose programs run in `evaluator`.
    public init(_ configuration: TestedConfiguration, evaluator: any ProgramEvaluator) {
        self.configuration = configuration
        self.evaluator = evaluator
    }

    /// Runs one test. Whoever has only some time for all calls this for one after the other.
    public func run(_ test: StreamTestDefinition) -> StreamTestResult {
        do throws(TestFault) {
            let run = try StreamTestRun(test, configuration, evaluator)
            let recorded = try run.run()
            let comparison = Comparison(expected: run.expected, recorded: recorded, test)
            return StreamTestResult(
                name: test.name, outcome: comparison.failure(from: run.start).map { .failed($0) } ?? .passed)
        } catch {
            return StreamTestResult(name: test.name, outcome: .faulty(error.reason))
        }
    }

    /// Runs tests in order.
    public func run(_ tests: [StreamTestDefinition]) -> [StreamTestResult] { tests.map { run($0) } }
}
