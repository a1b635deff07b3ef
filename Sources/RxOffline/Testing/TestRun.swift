package import RxConfiguration
internal import RxJSON
internal import RxJq
internal import RxStreams

/// A run of the tables [test.NAME] below DIR/tests in virtual time.
///
/// `rxctl test DIR` executes `rxd --test --config DIR`: the program that reads a configuration also tests it, so rxctl
/// links neither the reader nor the host. RxStreamTest runs the tests, RxConfiguration reads and reports them; this
/// type has the output and the exit statuses.
package struct TestRun {
    /// The exit status if a test has failed or cannot be run.
    package static let failed: Int32 = 1

    private let tests: [ConfiguredTest]
    private let suite: ConfiguredTestSuite
    private let asJSON: Bool

    /// - Parameters:
    ///   - tests: all tests of the configuration.
    ///   - only: the names of those to run; empty for all.
    ///   - asJSON: whether results are printed as JSON, not as text for people.
    /// - Throws: if no test has one of the names.
    package init(
        _ tests: [ConfiguredTest], only: [String], of configuration: Configuration,
        _ surroundings: StreamSurroundings, asJSON: Bool
    ) throws(OfflineFailure) {
        let names = tests.map(\.name)
        for name in only where !names.contains(name) {
            let meant = nearest(to: name, among: names).map { "; did you mean \"\($0)\"?" } ?? ""
            throw OfflineFailure(status: .notFound, message: "there is no test \(name)\(meant)")
        }
        self.tests = tests.filter { only.isEmpty || only.contains($0.name) }
        suite = ConfiguredTestSuite(configuration, evaluator: StreamEvaluator(), surroundings: surroundings)
        self.asJSON = asJSON
    }

    /// Runs the tests, and prints each result as soon as there is one, then how many there were of each kind.
    ///
    /// - Returns: the exit status: 0 if all tests pass.
    package func run() throws(OfflineFailure) -> Int32 {
        var passed = 0
        var failed = 0
        for test in tests {
            let report = TestReport(test, suite.run(test))
            if report.isFault { failed += 1 } else { passed += 1 }
            try print(asJSON ? [report.json.text] : report.text)
        }
        let summary: JSONValue = [
            "tests": JSONValue(passed + failed), "passed": JSONValue(passed), "failed": JSONValue(failed),
        ]
        let count = passed + failed == 1 ? "1 test" : "\(passed + failed) tests"
        try print([asJSON ? RawJSON(summary).text : "\(count): \(passed) passed, \(failed) failed"])
        return failed == 0 ? 0 : Self.failed
    }

    private func print(_ lines: [String]) throws(OfflineFailure) {
        for line in lines {
            let error = StandardOutput.write(line)
            guard error == 0 else { throw .output(error) }
        }
    }
}
