internal import RxClient
internal import RxJSON
internal import RxProtocol

/// A failed attempt of an execution that another attempt follows, in a record on the channel `executions`.
struct FailedAttempt {
    /// From 1.
    let number: Int
    /// `attempt 1 of 2 failed (exit 3), again in 1s`
    let text: String

    /// Nil for a record that is about something else.
    init?(_ record: RawJSON?) {
        guard let record = record?.value(), let retry = record["retry"], let number = record["attempt"]?.int,
            let most = record["attempts"]?.int, let delay = retry["delay"]?.string
        else { return nil }
        self.number = number
        text = "attempt \(number) of \(most) failed (\(FailedAttempt.reason(retry["error"]))), again in \(delay)"
    }

    private static func reason(_ error: JSONValue?) -> String {
        if let exit = error?["data"]?["exit"]?.int { return "exit \(exit)" }
        if let signal = error?["data"]?["signalName"]?.string { return signal }
        return error?["message"]?.string ?? "for an unknown reason"
    }
}
