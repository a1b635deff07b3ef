public import RxJSON

/// A jq program asked one thing: whether something holds for an input.
///
/// It holds if any of the program's answers is neither false nor null; what comes after that answer is not computed.
public final class JqCondition {
    private let evaluation: Evaluation

    /// Throws `.invalidProgram` or `.tooLarge`.
    public init(_ text: String) throws(JqError) {
        evaluation = try Evaluation(text) { "first((\($0)\n) | if . then true else empty end)" }
    }

    /// Throws `.failed` if the program fails before it has an answer that decides.
    public func holds(for input: RawJSON) throws(JqError) -> Bool {
        try !evaluation.run(input).isEmpty
    }
}
