internal import UnixSocket

/// The audit of one connection. Costs nothing until there is something to write.
final class Audit {
    private let peer: Peer
    private let server: Server
    private var allowance = AuditAllowance()
    /// Takes back the announcement of what is left out.
    private var cancelAnnouncement: (() -> Void)?

    init(of peer: Peer, server: Server) {
        self.peer = peer
        self.server = server
    }

    func write(_ record: AuditRecord) {
        switch record.outcome {
        case .effect:
            record.log(by: peer, to: server.logger)
        case .refusal where allowance.take(at: .now):
            record.log(by: peer, to: server.logger)
        case .refusal:
            guard cancelAnnouncement == nil else { return }
            let timer = server.loop.schedule(after: AuditAllowance.window) { [self] in announceLeftOut() }
            cancelAnnouncement = { timer.cancel() }
        }
    }

    /// Says what was left out so far; at the latest when the client goes.
    func announceLeftOut() {
        cancelAnnouncement?()
        cancelAnnouncement = nil
        let count = allowance.takeLeftOut()
        if count > 0 { AuditRecord.log(leftOut: count, by: peer, to: server.logger) }
    }
}

/// How many refusals of one connection are written: what has an effect always is, but nothing keeps a client from being
/// refused a hundred thousand times a second.
struct AuditAllowance {
    /// Enough to see who tries what; a thousand clients fill no journal with it.
    static let records = 10
    /// For so many records.
    static let window = Duration.seconds(10)

    private var opened: ContinuousClock.Instant?
    private var written = 0
    /// Refusals that nothing has told yet.
    private(set) var leftOut = 0

    /// - Returns: whether one more may be written; otherwise it is counted.
    mutating func take(at now: ContinuousClock.Instant) -> Bool {
        if opened.map({ now - $0 >= Self.window }) ?? true {
            opened = now
            written = 0
        }
        guard written < Self.records else {
            leftOut += 1
            return false
        }
        written += 1
        return true
    }

    mutating func takeLeftOut() -> Int {
        defer { leftOut = 0 }
        return leftOut
    }
}
