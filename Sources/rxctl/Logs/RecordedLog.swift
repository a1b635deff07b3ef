internal import RxClient
internal import RxJSON
internal import RxProtocol

extension LogRecord {
    /// What the record of an execution has, oldest first.
    ///
    /// - Parameters:
    ///   - record: as the daemon sends it.
    ///   - attempts: the failed ones that were followed by others, or were to be.
    ///   - stderr: the lines that are kept. Their times are not: they have that of the end.
    ///   - now: the time of these lines before the end.
    static func all(
        of record: JSONValue, attempts: [LogRecord] = [], stderr: [String] = [], now: Timestamp = .now
    ) -> [LogRecord] {
        let by = record["by"] ?? .null
        var facts: JSONObject = ["state": record["state"] ?? .null]
        facts["causes"] = .array(CausesText.links(of: record))
        facts["causesOmitted"] = record["causesOmitted"]
        facts["error"] = record["error"].flatMap { $0.isNull ? nil : $0 }
        let begin = [
            LogRecord(of: record, "queuedAt", .accepted, "by \(Requester(by: by).full)", ["by": by]),
            LogRecord(of: record, "startedAt", .started, ""),
        ]
        let end = LogRecord(of: record, "endedAt", .end, record["error"]?["message"]?.string ?? "", facts)
        return begin.compactMap(\.self) + attempts + stderr.map { standardError($0, of: record, now: now) }
            + [end].compactMap(\.self)
    }

    /// A line of the stderr of an execution.
    ///
    /// - Parameter now: the time of the line if the execution has not ended.
    static func standardError(_ line: String, of record: JSONValue, now: Timestamp) -> LogRecord {
        LogRecord(of: record, "endedAt", .stderr, line)
            ?? LogRecord(
                time: now, execution: record["execution"]?.string, action: record["action"]?.string ?? "",
                kind: .stderr, text: line)
    }

    /// Nil if the execution has not come to that time.
    private init?(of record: JSONValue, _ time: String, _ kind: Kind, _ text: String, _ facts: JSONObject = [:]) {
        guard let time = record[time]?.string.flatMap({ Timestamp($0) }) else { return nil }
        self.init(
            time: time, execution: record["execution"]?.string, action: record["action"]?.string ?? "", kind: kind,
            text: text, facts: facts)
    }
}

extension DaemonSession {
    /// Calls `body` with the lines of an execution's stderr that the daemon keeps: those of its output, or else those
    /// at the end of the error.
    ///
    /// - Parameter record: the execution's record.
    func keptStandardError(of record: JSONValue, then body: @escaping ([String]) -> Void) {
        guard let id = record["execution"]?.string, record["startedAt"]?.isNull == false else {
            return body(record.standardErrorTail)
        }
        // Elements are left out, however many there are.
        let params: JSONObject = ["execution": .string(id), "elements": JSONValue(Int.max)]
        link.call(.executionOutput, RawJSON(.object(params))) { reply in
            // An older daemon keeps no output.
            guard case .success(let result) = reply, case let answer = result.value(),
                answer["output"]?.array?.isEmpty == false
            else { return body(record.standardErrorTail) }
            body(String(decoding: answer.keptStandardError, as: UTF8.self).standardErrorLines)
        }
    }
}
