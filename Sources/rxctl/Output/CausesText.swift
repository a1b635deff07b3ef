internal import RxJSON

/// The chain of causes of an execution.
enum CausesText {
    /// The links of a record, the nearest first. An older daemon has the nearest only.
    static func links(of record: JSONValue) -> [JSONValue] { record["causes"]?.array ?? [record["by"] ?? .null] }

    /// A picture for people: the execution, then a line for each cause.
    ///
    ///     release 01a1fdb4-a429-7000-85f0-2bafa9a4fd78 completed, attempt 2 of 3, due 2026-11-21T01:02:03.000Z
    ///       <- mutate[1] of the reactor deploys
    ///       <- 3 more
    ///       <- uid 1000 (ada), pid 30899
    static func lines(of record: JSONValue) -> [String] {
        let head = ["action", "execution", "state"].compactMap { record[$0]?.string }.joined(separator: " ")
        let facts = [ExecutionFacts(record).attempt, record["at"]?.string.map { "due \($0)" }].compactMap(\.self)
        return [([head] + facts).joined(separator: ", ")] + waits(of: record) + causes(of: record).map { "  <- \($0)" }
    }

    /// What it waits for because of `--after`.
    private static func waits(of record: JSONValue) -> [String] {
        let others = record["waitsFor"]?.array ?? []
        let condition = record["ifCompleted"]?.bool == true ? ", if it completes" : ""
        return others.map { other in
            let words = ["action", "execution", "state"].compactMap { other[$0]?.string }.joined(separator: " ")
            return "  waits for the end of \(words)\(condition)"
        }
    }

    /// The causes in words, the nearest first.
    static func causes(of record: JSONValue) -> [String] {
        var causes = links(of: record).map { Requester(by: $0).full }
        if let omitted = record["causesOmitted"]?.int, omitted > 0, !causes.isEmpty {
            causes.insert("\(omitted) more", at: causes.count - 1)
        }
        return causes
    }

    /// The members of a record that the chain consists of.
    static func facts(of record: JSONValue) -> JSONObject {
        var facts: JSONObject = [:]
        for key in ["execution", "action", "state"] { facts[key] = record[key] }
        facts["by"] = record["by"] ?? .null
        facts["causes"] = .array(links(of: record))
        let others = ["causesOmitted", "waitsFor", "ifCompleted", "at", "startedAt", "attempt", "attempts", "retry"]
        for key in others { facts[key] = record[key] }
        return facts
    }
}

extension DaemonSession {
    /// Prints what led to an execution: a line for each cause for people, otherwise a JSON object.
    func printCauses(of record: RawJSON, forPeople: Bool) {
        let record = record.value()
        if forPeople {
            for line in CausesText.lines(of: record) { print(wrapped: line) }
        } else {
            print(RawJSON(.object(CausesText.facts(of: record))))
        }
    }
}
