internal import RxJSON
internal import RxProtocol

/// One thing that happened to an execution, in the format of `rxctl logs`: the same from the journal and from the
/// daemon.
struct LogRecord: Equatable {
    enum Kind: String {
        /// A request that started the execution, was queued, or joined it.
        case accepted
        /// The work began, after it was accepted.
        case started
        /// An attempt failed, and another one follows.
        case attempt
        /// A line of the program's stderr.
        case stderr
        /// What the daemon did or found.
        case daemon
        /// The execution ended; the facts have its `state` and its `causes`.
        case end
    }

    let time: Timestamp
    /// Nil for a record of the action alone.
    let execution: String?
    let action: String
    let kind: Kind
    let text: String
    /// Members of the JSON object beside those that each record has.
    var facts: JSONObject = [:]

    /// `{"time":…,"action":…,"execution":…,"kind":…,"text":…}` and the facts.
    var json: RawJSON {
        var object: JSONObject = [
            "time": .string(time.description), "action": .string(action),
            "execution": execution.map(JSONValue.string) ?? .null, "kind": .string(kind.rawValue),
            "text": .string(text),
        ]
        for fact in facts { object[fact.key] = fact.value }
        return RawJSON(.object(object))
    }

    /// The width of the longest word, `interrupted`.
    private static let wordWidth = 11
    /// The cells that a text has at least.
    private static let leastOfText = 20

    /// The lines for people: time, word, and text; a longer text continues below its begin, and so do the causes at
    /// the end.
    ///
    /// - Parameters:
    ///   - showsExecution: whether the id stands after the time, where records of several executions mix.
    ///   - width: the cells of a terminal: ids are abbreviated there, and longer texts are folded. Nil elsewhere.
    func lines(showsExecution: Bool, width: Int? = nil) -> [String] {
        let word = facts["state"]?.string ?? kind.rawValue
        let place = String(repeating: " ", count: width == nil ? 36 : ShortID.length)
        let id = showsExecution ? [execution.map { width == nil ? $0 : ShortID.of($0) } ?? place] : []
        let head = ([time.description] + id).joined(separator: " ") + " "
        let padding = String(repeating: " ", count: max(0, Self.wordWidth - word.count) + 1)
        let indent = String(repeating: " ", count: head.count + Self.wordWidth + 1)
        let causes = kind == .end ? CausesText.causes(of: .object(facts)) : []
        var texts = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        texts += causes.map { "<- \($0)" }
        if let width {
            // On a very narrow terminal, a line that is too long is easier to read than one word per line.
            let cells = max(width - indent.count, Self.leastOfText)
            texts = texts.flatMap { WrappedText.lines($0.printable, cells) }
        }
        let below = texts.dropFirst().map { indent + $0 }
        let first = head + word + padding + texts[0]
        return [String(first.trimmingSuffix(while: { $0 == " " }))] + below
    }
}

extension String {
    fileprivate func trimmingSuffix(while condition: (Character) -> Bool) -> Substring {
        var rest = self[...]
        while let last = rest.last, condition(last) { rest.removeLast() }
        return rest
    }
}
