internal import RxJSON

/// What tables show of an execution's record.
struct ExecutionFacts {
    private let record: JSONValue

    init(_ record: JSONValue) { self.record = record }

    var id: String { text("execution") }
    var action: String { text("action") }
    var mark: StateSymbol { StateSymbol.execution(text("state")) }
    var requester: String { record["by"].map { Requester(by: $0).short } ?? "" }
    /// The number of elements, if there are any.
    var elements: String { record["elements"]?.int.flatMap { $0 > 0 ? String($0) : nil } ?? "" }
    /// The input as compact JSON, with `[redacted]` in it as the daemon sends it.
    var input: String { record["input"].map { $0.isNull ? "" : RawJSON($0).text } ?? "" }

    /// `exit 3`, or the first line of the error's message.
    var error: String {
        if record["error"]?["data"]?["name"] == "workFailed", let exit = record["error"]?["data"]?["exit"]?.int {
            return "exit \(exit)"
        }
        let message = record["error"]?["message"]?.string ?? ""
        return message.split(separator: "\n", maxSplits: 1).first.map(String.init) ?? ""
    }

    /// `attempt 2 of 3`, unless it is the first one or the action has no `retry`.
    var attempt: String? {
        guard let number = record["attempt"]?.int, let most = record["attempts"]?.int, number > 1 else { return nil }
        return "attempt \(number) of \(most)"
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
