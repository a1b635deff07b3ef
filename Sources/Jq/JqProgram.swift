public import RxJSON
internal import RxStreams

/// A compiled jq program.
public final class JqProgram {
    /// The most answers to one input. A program with more fails instead of being cut off.
    public static let mostAnswers = 1000

    private let evaluation: Evaluation

    /// Compiles `text`.
    ///
    /// - Throws: `.invalidProgram` or `.tooLarge`.
    public init(_ text: String) throws(JqError) {
        // One more than allowed, to detect an excess.
        evaluation = try Evaluation(text) { "limit(\(JqProgram.mostAnswers + 1); (\($0)\n))" }
    }

    /// Returns all answers to `input`, in order.
    ///
    /// - Throws: `.failed` with the program's error, even if it had answers before, or `.tooLarge`.
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
    /// Returns what is wrong with a text that is compiled as it is, not as a part of another program.
    public static func fault(of text: String) -> JqError? { Evaluation.fault(of: text) }

    /// Returns the error of each invalid program by its index. The programs are compiled together, as
    /// `Evaluation.faults` states.
    public static func faults(in texts: [String]) -> [Int: JqError] {
        Evaluation.faults(in: texts) { place in
            do throws(JqError) {
                _ = try JqProgram(texts[place])
                return nil
            } catch {
                return error
            }
        }
    }
}
