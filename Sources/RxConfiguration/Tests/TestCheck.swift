internal import RxHost
internal import RxJSON
package import RxPlatform
internal import RxStreamTest

/// The tests of a configuration as a part of its check: those that fail are faults.
package struct TestCheck: Sendable {
    /// The longest time for all tests: people and deployments wait for a check.
    package static let time = Duration.seconds(10)

    /// One for each test that has failed or cannot be run.
    package private(set) var faults: [ConfigurationFault] = []
    /// Names the first test that was not reached, or not finished.
    package private(set) var warnings: [ConfigurationWarning] = []

    /// Runs the tests in order.
    package init(
        _ tests: [ConfiguredTest], in suite: ConfiguredTestSuite, clock: MonotonicClock, time: Duration = Self.time
    ) {
        let end = clock.now + time
        for (index, test) in tests.enumerated() {
            let report = TestReport(test, suite.run(test) { clock.now < end })
            if let fault = report.fault { faults.append(fault) }
            guard report.outcome == .unfinished else { continue }
            let count = tests.count - index - 1
            let others = count == 0 ? "" : ", and \(count) more \(count == 1 ? "was" : "were") not reached"
            warnings.append(
                ConfigurationWarning(
                    file: test.line.file, line: test.line.line, key: dottedKey(["test", test.name]),
                    message: "was not run to its end within \(time.rxText)\(others); use `rxctl test`"))
            return
        }
    }
}
