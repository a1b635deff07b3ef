internal import RxHost
package import RxStreamTest
package import RxStreams

/// Runs the tests of a configuration in virtual time, without a daemon, a process of an action, or a file.
package struct ConfiguredTestSuite: Sendable {
    private let suite: StreamTestSuite

    /// Creates a suite whose programs, those of reactors included, run in `evaluator`.
    package init(
        _ configuration: Configuration, evaluator: any ProgramEvaluator, surroundings: StreamSurroundings
    ) {
        suite = StreamTestSuite(configuration.tested(evaluator, surroundings), evaluator: evaluator)
    }

    /// Runs one test, as long as it may go on.
    package func run(_ test: ConfiguredTest, while mayGoOn: () -> Bool = { true }) -> StreamTestResult {
        suite.run(test.definition, while: mayGoOn)
    }
}

extension Configuration {
    fileprivate func tested(
        _ evaluator: any ProgramEvaluator, _ surroundings: StreamSurroundings
    ) -> TestedConfiguration {
        let actions = Dictionary(actions.map { ($0.name, $0) }) { first, _ in first }
        return TestedConfiguration(
            streams: streams.map(\.definition), bindings: bindings, overlaps: actions.mapValues(\.overlap),
            inputFault: { name, input in
                let faults = actions[name]?.faults(in: input) ?? []
                return faults.isEmpty ? nil : faults.map(\.text).joined(separator: "; ")
            },
            reactors: Dictionary(reactors.map { ($0.name, TestedReactor($0, evaluator)) }) { first, _ in first },
            zones: surroundings.zones, zone: surroundings.machineZone)
    }
}

extension InputFault {
    fileprivate var text: String { "/input\(path): \(message)" }
}
