internal import ArgumentParser
internal import Glibc
internal import RxConfiguration
internal import RxJSON
internal import RxJq
internal import RxLoop
internal import RxStreams

// Tests: runs the tables [test.NAME] below DIR/tests in virtual time.
//
// `rxctl test DIR` executes `rxd --test --config DIR`: the program that reads a configuration also tests it, so rxctl
// links neither the reader nor the host. RxStreamTest runs the tests, RxConfiguration reads and reports them; this file
// has the options, the output, and the exit statuses.

/// The options of `--test`.
struct TestOptions: ParsableArguments {
    @Flag(
        name: .customLong("test"),
        help: ArgumentHelp(
            "Run the tests of the configuration in virtual time.",
            discussion: "Exits with 0 if all of them pass, 1 if not. Nothing is executed."))
    var isTest = false

    @Option(
        name: .customLong("only"), parsing: .singleValue,
        help: ArgumentHelp("Run this test, and no other that is not named.", valueName: "test"))
    var only: [String] = []

    func validate() throws {
        if !only.isEmpty, !isTest { throw ValidationError("--only goes with --test.") }
    }
}

extension TestOptions {
    /// The exit code if a test has failed or cannot be run.
    private static let failed = ExitCode(1)

    /// Runs the tests, and prints each result as soon as there is one, then how many there were of each kind.
    func run(
        _ tests: [ConfiguredTest], of configuration: Configuration, _ surroundings: StreamSurroundings, asJSON: Bool
    ) throws(OfflineFailure) -> ExitCode {
        let names = tests.map(\.name)
        for name in only where !names.contains(name) {
            let meant = nearest(to: name, among: names).map { "; did you mean \"\($0)\"?" } ?? ""
            throw OfflineFailure(status: .notFound, message: "there is no test \(name)\(meant)")
        }
        let suite = ConfiguredTestSuite(configuration, evaluator: StreamEvaluator(), surroundings: surroundings)
        var passed = 0
        var failed = 0
        for test in tests where only.isEmpty || only.contains(test.name) {
            let report = TestReport(test, suite.run(test))
            if report.isFault { failed += 1 } else { passed += 1 }
            try print(asJSON ? [report.json.text] : report.text)
        }
        let summary: JSONValue = [
            "tests": JSONValue(passed + failed), "passed": JSONValue(passed), "failed": JSONValue(failed),
        ]
        let count = passed + failed == 1 ? "1 test" : "\(passed + failed) tests"
        try print([asJSON ? RawJSON(summary).text : "\(count): \(passed) passed, \(failed) failed"])
        return failed == 0 ? .success : Self.failed
    }

    private func print(_ lines: [String]) throws(OfflineFailure) {
        for line in lines {
            let error = StandardOutput.write(line)
            guard error == 0 else {
                throw OfflineFailure(
                    status: .unwritable, message: "standard output: \(SystemErrorName.text(of: error))")
            }
        }
    }
}
