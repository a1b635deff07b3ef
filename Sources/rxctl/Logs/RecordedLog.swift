internal import RxJSON
internal import RxProtocol

extension LogRecord {
    /// What the record of an execution has, oldest first. A later record of the same execution has the same at its
    /// beginning.
    ///
    /// - Parameters:
    ///   - record: as the daemon sends it.
    ///   - stderr: the lines that are kept. Their times are not: they have that of the end.
    static func all(of record: JSONValue, stderr: [String]) -> [LogRecord] {
        let action = record["action"]?.string ?? ""
        let execution = record["execution"]?.string
        func made(_ time: String, _ kind: Kind, _ text: String, _ facts: JSONObject = [:]) -> LogRecord? {
            record[time]?.string.flatMap { Timestamp($0) }.map { time in
                LogRecord(time: time, execution: execution, action: action, kind: kind, text: text, facts: facts)
            }
        }
        let by = record["by"] ?? .null
        var facts: JSONObject = ["state": record["state"] ?? .null]
        facts["causes"] = .array(CausesText.links(of: record))
        facts["causesOmitted"] = record["causesOmitted"]
        facts["error"] = record["error"].flatMap { $0.isNull ? nil : $0 }
        return [
            made("queuedAt", .accepted, "by \(Requester(by: by).full)", ["by": by]), made("startedAt", .started, ""),
        ].compactMap(\.self) + stderr.compactMap { made("endedAt", .stderr, $0) }
            + [made("endedAt", .end, record["error"]?["message"]?.string ?? "", facts)].compactMap(\.self)
    }
}

extension DaemonSession {
    /// Calls `body` with the lines of an execution's stderr that the daemon keeps: those at the end of the error.
    ///
    /// - Parameter record: the execution's record.
    func keptStandardError(of record: JSONValue, then body: @escaping ([String]) -> Void) {
        let text = record["error"]?["data"]?["stderr"]?.string ?? ""
        body(text.split(separator: "\n").map(String.init))
    }
}
