internal import Logging
internal import RxLoop

/// Writes the audit of one server.
///
/// Records of some kinds may come a hundred thousand times a second. Each user has one allowance for each of these
/// kinds, whatever connections they come from; an allowance costs memory only while it is in use.
final class Audit {
    private struct Share: Hashable {
        let uid: UInt32
        let kind: AuditRecord.Kind
    }

    private struct Spent {
        var allowance = AuditAllowance()
        /// Cancels the timer at the end of the allowance's span.
        let cancelEnd: () -> Void
    }

    private let logger: Logger
    private let loop: EventLoop
    private let window: Duration
    @exclusivity(unchecked) private var spent: [Share: Spent] = [:]

    init(logger: Logger, loop: EventLoop, window: Duration = AuditAllowance.window) {
        self.logger = logger
        self.loop = loop
        self.window = window
    }

    func write(_ record: @autoclosure () -> AuditRecord, _ kind: AuditRecord.Kind, by peer: Peer) {
        if take(of: Share(uid: peer.uid, kind: kind)) { record().log(by: peer, to: logger) }
    }

    func write(_ record: AuditRecord, by peer: Peer) {
        switch record.outcome {
        case .effect: record.log(by: peer, to: logger)
        case .refusal: write(record, .refusals, by: peer)
        }
    }

    private func take(of share: Share) -> Bool {
        if let taken = spent[share]?.allowance.take() { return taken }
        let timer = loop.schedule(after: window) { [weak self] in self?.endSpan(of: share) }
        var new = Spent { timer.cancel() }
        defer { spent[share] = new }
        return new.allowance.take()
    }

    /// Logs how many of a user's records were left out; the next one begins a new span.
    private func endSpan(of share: Share) {
        guard let ended = spent.removeValue(forKey: share) else { return }
        ended.cancelEnd()
        let count = ended.allowance.leftOut
        if count > 0 { AuditRecord.log(leftOut: count, share.kind, by: share.uid, to: logger) }
    }

    /// Logs what was left out so far, for all users.
    func stop() {
        for share in spent.keys.sorted(by: { ($0.uid, $0.kind.rawValue) < ($1.uid, $1.kind.rawValue) }) {
            endSpan(of: share)
        }
    }
}

/// How many records of one kind are written for one user in a span of time.
///
/// A client can cause refusals at any rate, and may have good reason to dispatch at a high one. What costs as much as
/// an execution has no allowance: it is always written.
struct AuditAllowance {
    /// Records in a span: enough to see who tries what, and a thousand users do not fill a journal with them.
    static let records = 10
    /// The span, from the first record on.
    static let window = Duration.seconds(10)

    private var written = 0
    /// Records that were not written.
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
