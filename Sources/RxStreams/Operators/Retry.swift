extension StreamOperator {
    static let retry = StreamOperator(
        "retry", .errors, .count(1...100),
        summary: "Directly after an executing step: so many attempts in all, unless the input is invalid.",
        parameters: [
            Parameter("delay", .duration(atLeast: 0), standard: "1s", "the time before the second attempt"),
            Parameter("backoff", .count(1...100), standard: "2", "the factor from one delay to the next"),
            Parameter("max", .duration(atLeast: 0), standard: "1m", "the longest delay"),
        ], isModifier: true
    ) { _, source in source }

    static let `catch` = StreamOperator(
        "catch", .errors, .program(.many),
        summary:
            """
            Directly after an executing step: emits the results of a program over `{element, error}` in place of a \
            failure.
            """,
        isModifier: true
    ) { _, source in source }
}

/// The delays of a `retry`.
struct Backoff: Sendable {
    /// All attempts, the first one counted.
    let attempts: Int
    private let first: Int64
    private let factor: Int64
    private let most: Int64

    init(_ step: StepDefinition) {
        attempts = step.count("retry") ?? 1
        first = step.duration("delay") ?? 1_000_000
        factor = Int64(step.count("backoff") ?? 2)
        most = step.duration("max") ?? 60_000_000
    }

    /// Microseconds to wait after so many failures.
    func delay(after failures: Int) -> Int64 {
        var wait = min(first, most)
        for _ in 1..<max(1, failures) where wait < most {
            wait = min(wait.multipliedReportingOverflow(by: factor).overflow ? most : wait * factor, most)
        }
        return wait
    }
}
