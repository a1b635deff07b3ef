internal import RxLoop

/// The audit of one server. Of what may come a hundred thousand times a second each user has an allowance, whatever
/// connections it comes from: of refusals one, of dispatches another.
///
/// Costs nothing until there is such a thing, and then one entry for each user who did it lately.
final class Audit {
    private struct Share: Hashable {
        let uid: UInt32
        let kind: AuditRecord.Kind
    }

    private struct Spent {
        var allowance = AuditAllowance()
        /// Takes back what ends the allowance's span.
        let cancelEnd: () -> Void
    }

    private unowned let server: Server
    private let window: Duration
    private var spent: [Share: Spent] = [:]

    init(of server: Server, window: Duration = AuditAllowance.window) {
        self.server = server
        self.window = window
    }

    func write(_ record: @autoclosure () -> AuditRecord, _ kind: AuditRecord.Kind, by peer: Peer) {
        if take(of: Share(uid: peer.uid, kind: kind)) { record().log(by: peer, to: server.logger) }
    }

    func write(_ record: AuditRecord, by peer: Peer) {
        switch record.outcome {
        case .effect: record.log(by: peer, to: server.logger)
        case .refusal: write(record, .refusals, by: peer)
        }
    }

    private func take(of share: Share) -> Bool {
        if let taken = spent[share]?.allowance.take() { return taken }
        let timer = server.loop.schedule(after: window) { [weak self] in self?.endSpan(of: share) }
        var new = Spent { timer.cancel() }
        defer { spent[share] = new }
        return new.allowance.take()
    }

    /// Says what of a user was left out; the next that there is begins a span of its own.
    private func endSpan(of share: Share) {
        guard let ended = spent.removeValue(forKey: share) else { return }
        ended.cancelEnd()
        let count = ended.allowance.leftOut
        if count > 0 { AuditRecord.log(leftOut: count, share.kind, by: share.uid, to: server.logger) }
    }

    /// Says what was left out so far, of everyone.
    func stop() {
        for share in spent.keys.sorted(by: { ($0.uid, $0.kind.rawValue) < ($1.uid, $1.kind.rawValue) }) {
            endSpan(of: share)
        }
    }
}

/// How much of one kind is written of one user in a span of time: what has an effect always is, where it costs as much as an
/// execution; but nothing keeps a client from being refused a hundred thousand times a second, or from coming back for it,
/// and as many actions may be dispatched to a reactor for good reason.
struct AuditAllowance {
    /// Enough to see who tries what; a thousand users fill no journal with it.
    static let records = 10
    /// For so many records. From the first on.
    static let window = Duration.seconds(10)

    private var written = 0
    /// What nothing has told yet.
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
