internal import RxClient
internal import RxJSON
internal import RxProtocol

/// A word that may be a part of an execution's id: how it begins, or how it ends.
struct IDPart: Equatable {
    /// The fewest characters of an end: tables show the last 8.
    static let leastOfEnd = 6
    private static let form = "00000000-0000-0000-0000-000000000000"

    /// In lower case.
    let text: String

    /// Nil for a word that no id begins or ends with, and for a complete id.
    init?(_ word: String) {
        let text = (word.hasPrefix("…") ? String(word.dropFirst()) : word).lowercased()
        guard !text.isEmpty, text.count < Self.form.count, text.allSatisfy({ $0 == "-" || $0.isHexDigit && $0.isASCII })
        else { return nil }
        self.text = text
        guard isBegin || isEnd else { return nil }
    }

    var isBegin: Bool { zip(text, Self.form).allSatisfy { ($0 == "-") == ($1 == "-") } }

    var isEnd: Bool {
        text.count >= Self.leastOfEnd
            && zip(text.reversed(), Self.form.reversed()).allSatisfy { ($0 == "-") == ($1 == "-") }
    }

    /// The least and the greatest id that begin so.
    var range: (least: String, greatest: String) {
        let rest = Self.form.dropFirst(text.count)
        return (text + rest, text + rest.replacing("0", with: "f"))
    }
}

extension DaemonSession {
    /// The most candidates that an error lists.
    private static let mostCandidates = 10

    /// Calls `body` with the words, in which an id is in the place of each part of one, or nil if there is no part of
    /// an id among them. A name goes before a part of an id, and how an id begins before how another one ends. Ends the
    /// command if a part is of several ids.
    func findExecutions(_ words: [String], then body: @escaping ([String]?) -> Void) {
        guard words.contains(where: { IDPart($0) != nil }) else { return body(nil) }
        readNames { [self] index in
            var found: [String] = []
            func next() {
                guard found.count < words.count else { return body(found == words ? nil : found) }
                let word = words[found.count]
                guard let part = IDPart(word), index?.kind(of: word) == nil else {
                    found.append(word)
                    return next()
                }
                find(part, word) { id in
                    found.append(id ?? word)
                    next()
                }
            }
            next()
        }
    }

    private func find(_ part: IDPart, _ word: String, then body: @escaping (String?) -> Void) {
        find(beginningWith: part) { [self] records in
            guard records.isEmpty, part.isEnd else { return choose(records, "begin", word, body) }
            find(endingWith: part) { self.choose($0, "end", word, body) }
        }
    }

    private func choose(_ records: [JSONValue], _ verb: String, _ word: String, _ body: (String?) -> Void) {
        let ids = records.compactMap { $0["execution"]?.string }
        guard ids.count > 1 else { return body(ids.first) }
        let shown = records.suffix(Self.mostCandidates)
        let others = records.count > shown.count ? ["  and others"] : []
        let lines = shown.map { record in
            "  " + ["execution", "action", "state"].compactMap { record[$0]?.string }.joined(separator: "  ")
        }
        let headline = "the ids of several executions \(verb) with \(word); write more of the one that you mean"
        finish(
            Ending(
                outcome: .inputRefused, message: .text(([headline] + lines + others).joined(separator: "\n")),
                facts: ["name": "ambiguous", "executions": .array(ids.map { .string($0) })]))
    }

    private func find(beginningWith part: IDPart, then body: @escaping ([JSONValue]) -> Void) {
        guard part.isBegin else { return body([]) }
        let (least, greatest) = part.range
        var found: [JSONValue] = []
        let list = ListedExecutions(
            self, ["after": .string(least), "before": .string(greatest)], limit: Self.mostCandidates + 1)
        list.onRecords = { records, goOn in
            found = records
            goOn()
        }
        list.onEnd = { _ in body(found) }
        list.start()
    }

    /// Looks through the whole history: ids are not sorted by their ends.
    private func find(endingWith part: IDPart, then body: @escaping ([JSONValue]) -> Void) {
        var found: [JSONValue] = []
        let list = ListedExecutions(self, [:], limit: nil)
        list.onRecords = { records, goOn in
            found += records.filter { $0["execution"]?.string?.hasSuffix(part.text) == true }
            goOn()
        }
        list.onEnd = { _ in body(found) }
        list.start()
    }
}
