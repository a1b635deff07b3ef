internal import RxJSON
internal import RxProtocol

extension LogRecord {
    /// The fields of the journal that records are made from.
    static let journalFields = [
        "MESSAGE", "PRIORITY", "RXD_ACTION", "RXD_EXECUTION", "RXD_METHOD", "RXD_OUTCOME", "RXD_STATE", "RXD_ATTEMPT",
        "RXD_PEER_UID", "RXD_CAUSES", "RXD_CAUSES_OMITTED",
    ]

    /// A record that `journalctl --output=json` has printed; nil for one that is not about an action.
    init?(journal record: JSONValue) {
        guard let action = record["RXD_ACTION"]?.string,
            let microseconds = record["__REALTIME_TIMESTAMP"]?.string.flatMap({ Int64($0) })
        else { return nil }
        let message = Self.text(record["MESSAGE"])
        var facts: JSONObject = [:]
        let (kind, text): (Kind, String)
        if let state = record["RXD_STATE"]?.string {
            kind = .end
            text = String(message.trimmingPrefix("\(action) \(state)").trimmingPrefix(": "))
            facts["state"] = .string(state)
            let causes = record["RXD_CAUSES"]?.string.flatMap { try? RawJSON(validating: $0).value() }
            facts["causes"] = causes ?? .array([])
            facts["causesOmitted"] = Self.number(record["RXD_CAUSES_OMITTED"])
        } else if let attempt = Self.number(record["RXD_ATTEMPT"]) {
            kind = .attempt
            // `deploy failed, attempt 1 of 3: exited with 3; the next in 1s`
            let rest = message.trimmingPrefix("\(action) failed, attempt ")
            text = String(rest.replacing(": ", with: " failed: ", maxReplacements: 1))
            facts["attempt"] = attempt
        } else if record["RXD_METHOD"]?.string == Method.actionExecute.rawValue,
            let outcome = record["RXD_OUTCOME"]?.string, ["started", "queued", "joined"].contains(outcome),
            let uid = Self.number(record["RXD_PEER_UID"])
        {
            kind = .accepted
            // `uid 1000, pid 30899: action.execute deploy …: started`
            let pid = message.firstMatch(of: /^uid [0-9]+, pid ([0-9]+):/).flatMap { Int($0.1) }
            var by: JSONObject = ["uid": uid]
            by["pid"] = pid.map { JSONValue($0) }
            facts["by"] = .object(by)
            text = "by \(Requester(by: .object(by)).full)" + (outcome == "started" ? "" : ", \(outcome)")
        } else {
            // The daemon logs stderr, and nothing else of an execution that is not one of the above, as information.
            kind = record["RXD_METHOD"] == nil && record["PRIORITY"]?.string == "6" ? .stderr : .daemon
            text = message
        }
        self.init(
            time: Timestamp(milliseconds: microseconds / 1000), execution: record["RXD_EXECUTION"]?.string,
            action: action, kind: kind, text: text, facts: facts)
    }

    /// A field's text: journalctl prints what is not UTF-8 as an array of bytes.
    private static func text(_ field: JSONValue?) -> String {
        if let text = field?.string { return text }
        return String(decoding: (field?.array ?? []).compactMap { $0.int.flatMap(UInt8.init(exactly:)) }, as: UTF8.self)
    }

    private static func number(_ field: JSONValue?) -> JSONValue? {
        field?.string.flatMap { Int($0) }.map { JSONValue($0) }
    }
}
