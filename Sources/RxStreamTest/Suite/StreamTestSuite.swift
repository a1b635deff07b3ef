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

    /// Runs one test.
    ///
    /// - Parameter mayGoOn: asked before each moment of the test; once it returns false, the test is `.unfinished`.
    public func run(_ test: StreamTestDefinition, while mayGoOn: () -> Bool = { true }) -> StreamTestResult {
        StreamTestResult(name: test.name, outcome: outcome(of: test, while: mayGoOn))
    }

    private func outcome(of test: StreamTestDefinition, while mayGoOn: () -> Bool) -> StreamTestResult.Outcome {
        do throws(StreamTestFault) {
            let run = try StreamTestRun(test, configuration, evaluator)
            guard let recorded = try run.run(while: mayGoOn) else { return .unfinished }
            let comparison = Comparison(expected: run.expected, recorded: recorded, test)
            return comparison.failure(from: run.start).map { .failed($0) } ?? .passed
        } catch {
            return .faulty(error)
        }
    }
}
