internal import RxClient
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
    /// Calls `body` with the lines of an execution's stderr that the daemon keeps: those of its output once it has
    /// ended, or else those at the end of the error.
    ///
    /// - Parameter record: the execution's record.
    func keptStandardError(of record: JSONValue, then body: @escaping ([String]) -> Void) {
        let tail = record["error"]?["data"]?["stderr"]?.string ?? ""
        func lines(_ text: String) -> [String] { text.split(separator: "\n").map(String.init) }
        guard let id = record["execution"]?.string, record["endedAt"]?.isNull == false else { return body(lines(tail)) }
        let params: JSONObject = ["execution": .string(id), "elements": record["elements"] ?? JSONValue(0)]
        link.call(.executionOutput, RawJSON(.object(params))) { reply in
            // An older daemon keeps no output.
            guard case .success(let result) = reply, let parts = result.value()["output"]?.array, !parts.isEmpty else {
                return body(lines(tail))
            }
            var bytes: [UInt8] = []
            for part in parts {
                if let missing = part["missing"]?["bytes"]?.int, part["missing"]?["stream"]?.string == "stderr" {
                    bytes += Array("\n[\(missing) bytes are not kept]\n".utf8)
                } else {
                    bytes += part.standardError ?? []
                }
            }
            body(lines(String(decoding: bytes, as: UTF8.self)))
        }
    }
}
