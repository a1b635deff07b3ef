public import RxJSON

/// A compiled jq program.
public final class JqProgram {
    /// Answers to one input; a program that has more fails, rather than being cut off.
    public static let mostAnswers = 1000

    private let evaluation: Evaluation

    /// Throws `.invalidProgram` or `.tooLarge`.
    public init(_ text: String) throws(JqError) {
        // One more than allowed, so that more are seen.
        evaluation = try Evaluation(text) { "limit(\(JqProgram.mostAnswers + 1); (\($0)\n))" }
    }

    /// Everything the program yields for `input`, in order.
    ///
    /// Throws `.failed` with what the program threw, even if it had answers before that, or `.tooLarge`.
    public func answers(to input: RawJSON) throws(JqError) -> [RawJSON] {
        let (answers, fault) = evaluation.run(input)
        if let fault { throw fault }
        guard answers.count <= JqProgram.mostAnswers else {
            throw .tooLarge(what: "answers", limit: JqProgram.mostAnswers)
        }
        return answers
    }
}

extension JqProgram {
    /// What is wrong with each of many programs, by its place: compiled together, which takes no longer than one does unless
    /// one is wrong.
    public static func faults(in texts: [String]) -> [Int: JqError] {
        guard !texts.isEmpty else { return [:] }
        if texts.allSatisfy({ $0.utf8.count <= Evaluation.mostProgramBytes }), Evaluation.compiles(together: texts) {
            return [:]
        }
        var faults: [Int: JqError] = [:]
        for (place, text) in texts.enumerated() {
            do throws(JqError) {
                _ = try JqProgram(text)
            } catch {
                faults[place] = error
            }
        }
        return faults
    }
}
