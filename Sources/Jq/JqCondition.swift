public import RxJSON

/// A jq program asked one thing: whether something holds for an input.
///
/// It holds if any of the program's answers is neither false nor null, also if the program fails after that one.
public final class JqCondition {
    /// After so many answers that say yes a program is left; one that goes on for ever would not end.
    private static let mostAnswers = 1000

    private let evaluation: Evaluation

    /// Throws `.invalidProgram` or `.tooLarge`.
    public init(_ text: String) throws(JqError) {
        // The first one would do. But jq 1.6 leaks what it iterates over when it leaves an iteration early.
        evaluation = try Evaluation(text) {
            "limit(\(JqCondition.mostAnswers); (\($0)\n) | if . then true else empty end)"
        }
    }

    /// Throws `.failed` if the program fails before it has an answer that decides.
    public func holds(for input: RawJSON) throws(JqError) -> Bool {
        let (answers, fault) = evaluation.run(input)
        if answers.isEmpty, let fault { throw fault }
        return !answers.isEmpty
    }
}
