internal import RxJSON

/// Sentences about why an action is not enabled.
enum ReasonText {
    /// `deploy is not enabled: executing 01J… since 2026-11-21T…Z, requested by uid 1000 (alice), pid 4242`
    static func sentence(action: String, enabled: Bool, reason: JSONValue?) -> String {
        if enabled { return "\(action) is enabled" }
        guard let reason, !reason.isNull else { return "\(action) is not enabled" }
        return "\(action) is not enabled: \(cause(reason))"
    }

    /// `switched off since 2026-11-21T…Z by uid 0 (root)`
    static func cause(_ reason: JSONValue) -> String {
        let since = reason["since"]?.string.map { " since \($0)" } ?? ""
        let by = reason["by"].map { Requester(by: $0).full }
        switch reason["cause"]?.string {
        case "executing":
            if let limit = reason["limit"]?.int, limit > 1, let inFlight = reason["inFlight"]?.int {
                return "\(inFlight) of \(limit) in flight, the oldest \(reason["execution"]?.string ?? "")\(since)"
            }
            return "executing \(reason["execution"]?.string ?? "")\(since)" + (by.map { ", requested by \($0)" } ?? "")
        case "manual":
            return "switched off\(since)" + (by.map { " by \($0)" } ?? "")
                + (reason["reason"]?.string.map { ": \($0)" } ?? "")
        case "condition":
            if let message = reason["message"]?.string { return "its condition does not hold: \(message)" }
            let expression = reason["when"]?.string.map { " (\(reason["reactor"]?.string ?? ""): \($0))" } ?? ""
            return reason["error"]?.string.map { "its condition failed\(expression): \($0)" }
                ?? "its condition does not hold\(expression)"
        case "stopping":
            return "the daemon is stopping"
        case let cause:
            // A cause of a newer daemon is printed with its facts.
            let facts = (reason.object ?? [:]).filter { $0.key != "cause" && !$0.value.isNull }
                .map { "\($0.key) \($0.value.string ?? RawJSON($0.value).text)" }
            return ([cause ?? "no reason given"] + facts).joined(separator: ", ")
        }
    }
}

extension DaemonSession {
    /// Prints whether an action is enabled and why not: a sentence for people, otherwise a JSON object.
    func printEnabled(_ result: RawJSON, of action: String, forPeople: Bool? = nil) {
        let value = result.value()
        let enabled = value["enabled"]?.bool ?? false
        let reason = value["reason"] ?? .null
        if !(forPeople ?? !isForPrograms) {
            var object: JSONObject = ["action": .string(action), "enabled": .bool(enabled), "reason": reason]
            for key in ["next", "upcoming", "firings"] { object[key] = value[key] }
            print(RawJSON(.object(object)))
        } else {
            print(wrapped: ReasonText.sentence(action: action, enabled: enabled, reason: reason))
        }
    }
}
