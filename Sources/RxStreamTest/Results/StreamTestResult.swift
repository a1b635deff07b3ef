/// What became of a test.
public struct StreamTestResult: Sendable, Hashable {
    /// What became of it.
    public enum Outcome: Sendable, Hashable {
        /// What happened is what was expected.
        case passed
        /// Something else happened.
        case failed(StreamTestFailure)
        /// The test cannot be run.
        case faulty(StreamTestFault)
        /// The time for tests ended before the test did.
        case unfinished
    }

    /// The name of the test.
    public var name: String
    /// What became of it.
    public var outcome: Outcome

    /// Whether the test has passed.
    public var hasPassed: Bool { outcome == .passed }

    /// The result for people: one line, or, for a failure, the marble texts one above the other and the first
    /// difference, in lines of at most 80 columns.
    public var text: String {
        switch outcome {
        case .passed: "\(name): passed"
        case .failed(let failure): "\(name): failed\n" + failure.lines.joined(separator: "\n")
        case .faulty(let fault):
            "\(name): cannot be run\n" + fault.lines.joined(separator: "\n")
        case .unfinished: "\(name): not finished in time"
        }
    }
}

/// How what happened differs from what was expected.
public struct StreamTestFailure: Sendable, Hashable {
    /// What was expected.
    public var expected: MarbleText
    /// What happened, with the letters of the test for its values, and other letters for other values.
    public var actual: MarbleText
    /// The first event that differs.
    public var index: Int
    /// The difference, in words.
    public var difference: String

    /// The marble texts, one above the other, the place of the first difference, and the difference in words, in lines
    /// of at most 80 columns.
    public var lines: [String] { FailureText(self).lines }
}
