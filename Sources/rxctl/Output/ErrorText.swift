internal import JSONRPC
internal import RxJSON
internal import RxProtocol

extension RPCError {
    /// The error code by its stable name in `data`, else by its number; `internalError` if this release knows neither.
    var named: ErrorCode {
        data?.value()["name"]?.string.flatMap { ErrorCode(name: $0) } ?? errorCode ?? .internalError
    }

    /// The message with the error's name, then the facts, one per line. A refused execution is one sentence with its
    /// facts.
    var forPeople: String {
        let facts = data?.value().object ?? [:]
        let name = facts["name"]?.string ?? "error \(code)"
        let (sentence, included) = sentence(facts)
        let lines = facts.filter { fact in
            fact.key != "name" && !included.contains(fact.key) && !RPCError.sentence(sentence, has: fact)
        }.flatMap { RPCError.lines($0, below: sentence) }
        return (["\(sentence) (\(name))"] + lines).joined(separator: "\n")
    }

    /// The first line, and the keys of the facts that it includes.
    private func sentence(_ facts: JSONObject) -> (text: String, included: [String]) {
        if named == .notEnabled, facts["reactor"] != nil {
            // The reason is the operator's; where its rule is written is in the JSON.
            return (message, ["reactor", "cause", "rule", "program", "file", "line"])
        }
        guard let action = facts["action"]?.string else {
            return (message, named == .notFound ? ["near", "streams"] : [])
        }
        switch named {
        case .notEnabled:
            return (ReasonText.sentence(action: action, enabled: false, reason: facts["reason"]), ["action", "reason"])
        case .queueFull:
            let limit = facts["limit"].map { ", limit \($0.string ?? RawJSON($0).text)" } ?? ""
            return ("the queue of \(action) is full\(limit)", ["action", "limit"])
        case .parseError, .invalidRequest, .methodNotFound, .invalidParams, .internalError, .workFailed, .timedOut,
            .cancelled, .notFound, .forbidden, .limitReached, .duplicateSubscription, .featureMissing, .cursorExpired,
            .shuttingDown, .tooLarge:
            return (message, named == .notFound ? ["near", "streams"] : [])
        }
    }

    /// Whether the sentence has the value as a word or as words, so that a line of it would repeat it.
    private static func sentence(_ sentence: String, has fact: JSONObject.Member) -> Bool {
        let value: String
        switch fact.value {
        case .string(let text): value = text
        case .number: value = RawJSON(fact.value).text
        case .null, .bool, .array, .object: return false
        }
        // The last line of a stderr may be any word.
        guard fact.key != "stderr", !value.isEmpty else { return false }
        func isPartOfWord(_ character: Character?) -> Bool { character.map { $0.isLetter || $0.isNumber } ?? false }
        return sentence.ranges(of: value).contains { range in
            !isPartOfWord(sentence[..<range.lowerBound].last) && !isPartOfWord(sentence[range.upperBound...].first)
        }
    }

    private static func lines(_ fact: JSONObject.Member, below sentence: String) -> [String] {
        switch fact.value {
        case .null:
            []
        case .string(let text):
            // The end of a process's stderr has many lines.
            text.split(separator: "\n").map { "  \(fact.key): \($0)" }
        case .array(let entries) where fact.key == "errors":
            entries.compactMap { entry in
                let (path, message) = (entry["path"]?.string ?? "", entry["message"]?.string ?? "")
                let line = (path.isEmpty ? "" : path + ": ") + message
                // A fault is also the sentence, which may have a name in the place of the path.
                let isSentence =
                    line == sentence
                    || !path.isEmpty && sentence.hasSuffix(" \(message)")
                        && !sentence.hasPrefix("/")
                return isSentence ? nil : "  " + line
            }
        case .object where fact.key == "by":
            ["  by: \(Requester(by: fact.value).full)"]
        case .bool, .number, .array, .object:
            ["  \(fact.key): \(RawJSON(fact.value).text)"]
        }
    }

    /// The exit status of the action's command as a shell reports it: its exit code, or 128 plus the signal that killed
    /// it.
    var commandStatus: Int32? {
        guard named == .workFailed, let facts = data?.value().object else { return nil }
        if let exit = facts["exit"]?.int, (1...255).contains(exit) { return Int32(exit) }
        if let signal = facts["signal"]?.int, (1...127).contains(signal) { return 128 + Int32(signal) }
        return nil
    }
}
