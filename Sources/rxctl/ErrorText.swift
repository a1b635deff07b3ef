internal import JSONRPC
internal import RxJSON
internal import RxProtocol

extension RPCError {
    /// The error by its stable name; by its number if `data` has none; an internal error if this release knows neither.
    var named: ErrorCode {
        data?.value()["name"]?.string.flatMap { ErrorCode(name: $0) } ?? errorCode ?? .internalError
    }

    /// The message with the name, then the facts, one a line.
    var forPeople: String {
        let facts = data?.value().object ?? [:]
        let name = facts["name"]?.string ?? "error \(code)"
        let lines = facts.filter { $0.key != "name" }.flatMap(RPCError.lines)
        // A single fault is the message already.
        return (["\(message) (\(name))"] + lines.filter { $0 != "  \(message)" }).joined(separator: "\n")
    }

    private static func lines(_ fact: JSONObject.Member) -> [String] {
        switch fact.value {
        case .null:
            []
        case .string(let text):
            // The tail of a work's stderr has many lines.
            text.split(separator: "\n").map { "  \(fact.key): \($0)" }
        case .array(let entries) where fact.key == "errors":
            entries.map { entry in
                let path = entry["path"]?.string ?? ""
                return "  " + (path.isEmpty ? "" : path + ": ") + (entry["message"]?.string ?? "")
            }
        case .bool, .number, .array, .object:
            ["  \(fact.key): \(RawJSON(fact.value).text)"]
        }
    }
}
