internal import UnixSocket

/// The audit of one server. Of refusals each user has an allowance, whatever connections they come from.
///
/// Costs nothing until something is refused, and then one entry for each user who was refused lately.
final class Audit {
    private struct Refused {
        var allowance = AuditAllowance()
        /// Takes back what ends the allowance's span.
        let cancelEnd: () -> Void
    }

    private unowned let server: Server
    private let window: Duration
    private var refused: [UInt32: Refused] = [:]

    init(of server: Server, window: Duration = AuditAllowance.window) {
        self.server = server
        self.window = window
    }

    func write(_ record: AuditRecord, by peer: Peer) {
        switch record.outcome {
        case .effect:
            record.log(by: peer, to: server.logger)
        case .refusal:
            if take(from: peer.uid) { record.log(by: peer, to: server.logger) }
        }
    }

    private func take(from uid: UInt32) -> Bool {
        if refused[uid] == nil {
            let timer = server.loop.schedule(after: window) { [weak self] in self?.endSpan(of: uid) }
            refused[uid] = Refused { timer.cancel() }
        }
        return refused[uid]?.allowance.take() ?? false
    }

    /// Says what of a user was left out; the next refusal begins a span of its own.
    private func endSpan(of uid: UInt32) {
        guard let ended = refused.removeValue(forKey: uid) else { return }
        ended.cancelEnd()
        let count = ended.allowance.leftOut
        if count > 0 { AuditRecord.log(leftOut: count, by: uid, to: server.logger) }
    }

    /// Says what was left out so far, of everyone.
    func stop() {
        for uid in refused.keys.sorted() { endSpan(of: uid) }
    }
}

/// How many refusals of one user are written in a span of time: what has an effect always is, but nothing keeps a client
/// from being refused a hundred thousand times a second, or from coming back for it.
struct AuditAllowance {
    /// Enough to see who tries what; a thousand users fill no journal with it.
    static let records = 10
    /// For so many records. From the first refusal on.
    static let window = Duration.seconds(10)

    private var written = 0
    /// Refusals that nothing has told yet.
    private(set) var leftOut = 0

    /// - Returns: whether one more may be written; otherwise it is counted.
    mutating func take() -> Bool {
        guard written < Self.records else {
            leftOut += 1
            return false
        }
        written += 1
        return true
    }
}
