public import RxJSON

/// A jq program used as a condition on an input.
///
/// The condition holds if any answer is neither false nor null, even if the program fails after that answer.
public final class JqCondition {
    /// The most true answers before the evaluation ends, so that an infinite program terminates.
    private static let mostAnswers = 1000

    private let evaluation: Evaluation

    /// Compiles `text`.
    ///
    /// - Throws: `.invalidProgram` or `.tooLarge`.
    public init(_ text: String) throws(JqError) {
        // The first answer would suffice, but jq 1.6 leaks the iterated value on an early exit.
        evaluation = try Evaluation(text) {
            "limit(\(JqCondition.mostAnswers); (\($0)\n) | if . then true else empty end)"
        }
    }

    /// Whether the condition holds for `input`.
    ///
    /// - Throws: `.failed` if the program fails before a deciding answer, or `.tooLarge`.
    public func holds(for input: RawJSON) throws(JqError) -> Bool {
        let (answers, fault) = evaluation.run(input)
        if answers.isEmpty, let fault { throw fault }
        return !answers.isEmpty
    }
}
