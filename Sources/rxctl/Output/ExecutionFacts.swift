internal import RxJSON

/// What tables show of an execution's record.
struct ExecutionFacts {
    private let record: JSONValue

    init(_ record: JSONValue) { self.record = record }

    var id: String { text("execution") }
    var action: String { text("action") }
    var mark: Mark { Mark.execution(text("state")) }
    var requester: String { record["by"].map { Requester(by: $0).short } ?? "" }
    /// The number of elements, if there are any.
    var elements: String { record["elements"]?.int.flatMap { $0 > 0 ? String($0) : nil } ?? "" }
    /// The input as compact JSON, with `[redacted]` in it as the daemon sends it.
    var input: String { record["input"].map { $0.isNull ? "" : RawJSON($0).text } ?? "" }

    /// The first line of the error's message.
    var error: String {
        let message = record["error"]?["message"]?.string ?? ""
        return message.split(separator: "\n", maxSplits: 1).first.map(String.init) ?? ""
    }

    /// When it started, or was accepted; when it is to start, if that is to come.
    func time(at now: Int64) -> String {
        if record["state"] == "queued", let due = milliseconds("at"), due > now {
            return TimeWords.ahead(due, at: now)
        }
        guard let time = milliseconds("startedAt") ?? milliseconds("queuedAt") else { return "" }
        return TimeWords.ago(time, at: now)
    }

    /// How long the work took, or has taken so far; empty if it never began.
    func took(at now: Int64) -> String {
        guard let started = milliseconds("startedAt") else { return "" }
        return TimeWords.took((milliseconds("endedAt") ?? now) - started)
    }

    private func text(_ key: String) -> String { record[key]?.string ?? "" }

    private func milliseconds(_ key: String) -> Int64? { record[key]?.string.flatMap(WireTime.milliseconds) }
}
