internal import RxClient
internal import RxJSON
internal import RxProtocol

/// The failed attempts of an execution that were followed by others or were to be, as far as the daemon's log has them.
final class PastAttempts {
    private let session: DaemonSession
    private let record: JSONValue
    private let body: ([LogRecord]) -> Void
    private var stream: FollowedStream?
    private var found: [LogRecord] = []
    private var isDone = false

    /// - Parameters:
    ///   - record: the execution's.
    ///   - body: called once.
    init(_ session: DaemonSession, of record: JSONValue, then body: @escaping ([LogRecord]) -> Void) {
        self.session = session
        self.record = record
        self.body = body
    }

    func read() {
        guard let id = record["execution"]?.string, count > 0 else { return finish() }
        var request = SubscribeRequest(.execution([id]), channels: [.executions], from: .start)
        request.endsCaughtUp = true
        stream = session.link.open(.subscription(request), deliver: { [self] in receive($0) }) { [self] reply in
            guard case .failure(let error) = reply else { return }
            // Otherwise nothing is kept of the execution any more.
            if case .refused(let refusal) = error, refusal.mayBeVersionSkew {
                session.note("attempts before the last are left out: \(error.description)")
            }
            finish()
        }
    }

    /// How many attempts have failed, or may have, and were or are to be followed by another one.
    var count: Int {
        let last = record["attempt"]?.int ?? 0
        if record["retry"] != nil { return last }
        return switch record["state"]?.string {
        // It has ended meanwhile, at the attempt or at the wait after it: only the log knows.
        case "cancelled", "timedOut", "interrupted": last
        case _: last - 1
        }
    }

    private func receive(_ delivery: LinkDelivery) {
        guard !isDone else { return }
        guard case .event(let event) = delivery, event.channel != .end else {
            stream = nil
            return finish()
        }
        guard event.channel == .executions, let attempt = (event.value?.value()).flatMap(LogRecord.attempt) else {
            return
        }
        found.append(attempt)
        if attempt.facts["attempt"]?.int ?? 0 >= count { finish() }
    }

    /// Calls the body with what was found.
    func finish() {
        guard !isDone else { return }
        isDone = true
        stream.map { session.link.unsubscribe($0) }
        stream = nil
        if let last = LogRecord.attempt(of: record), !found.contains(last) { found.append(last) }
        body(found)
    }
}

extension LogRecord {
    /// The failed attempt in a record of an execution that waits for the next one; nil for another record.
    static func attempt(of record: JSONValue) -> LogRecord? {
        guard let retry = record["retry"], let number = record["attempt"]?.int, let most = record["attempts"]?.int,
            let next = retry["at"]?.string.flatMap({ Timestamp($0) }), let delay = retry["delay"]?.string,
            let pause = Duration(rxText: delay)
        else { return nil }
        let (seconds, attoseconds) = pause.components
        let milliseconds = seconds * 1000 + attoseconds / 1_000_000_000_000_000
        return LogRecord(
            time: Timestamp(milliseconds: next.milliseconds - milliseconds), execution: record["execution"]?.string,
            action: record["action"]?.string ?? "", kind: .attempt,
            text: "\(number) of \(most) failed: \(retry["error"]?["message"]?.string ?? ""); the next in \(delay)",
            facts: ["attempt": JSONValue(number)])
    }
}
