/// The room that an account keeps for one long answer, from the begin of the work to the time when the outbox is
/// charged with the answer. Used on the loop.
final class AnswerRoom {
    /// What is reserved.
    private(set) var bytes: Int
    private let answers: LongAnswers
    private let didEnd: (_ bytes: Int) -> Void

    /// - Parameters:
    ///   - bytes: what `answers` has reserved.
    ///   - didEnd: called at the end, before the room is given back.
    init(_ bytes: Int, of answers: LongAnswers, didEnd: @escaping (_ bytes: Int) -> Void) {
        self.bytes = bytes
        self.answers = answers
        self.didEnd = didEnd
    }

    /// Makes room for an answer that has turned out longer than expected.
    ///
    /// - Returns: whether there is room; if not, the answer must be dropped, and made again when there is.
    func extend(to longer: Int) -> Bool {
        guard longer > bytes else { return true }
        guard answers.extend(bytes, to: longer) else { return false }
        bytes = longer
        return true
    }

    /// The outbox has the answer, or there is none. To be called once.
    func end() {
        didEnd(bytes)
        answers.end(bytes)
    }
}
