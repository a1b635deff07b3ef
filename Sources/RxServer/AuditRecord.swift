internal import JSONRPC
internal import Logging
internal import RxAction
internal import RxProtocol

/// What a client did, or was kept from doing: one log record, for whoever has to know later.
///
/// Written for each `action.execute` (of inline actions only when it fails), `reactor.dispatch`, `action.enable`,
/// `action.disable`, `execution.cancel` and `server.reload`, and for each forbidden attempt at anything. Of refusals and
/// of dispatches only some in a span of time (`AuditAllowance`), and then the number of the others; the history of a
/// reactor that persists knows of each that led to a mutation and was kept. In the journal its fields are `MESSAGE_ID`
/// (`AuditRecord.messageID`), `RXD_PEER_UID`, `RXD_METHOD`, `RXD_OUTCOME`, and `RXD_ACTION`, `RXD_REACTOR` and
/// `RXD_EXECUTION` where there are such.
struct AuditRecord {
    /// `journalctl MESSAGE_ID=…` shows all of them.
    static let messageID = "ddca655f04bb4d7ea2b446e25474080e"

    /// What there may be too much of to write all.
    enum Kind: String {
        case refusals, dispatches
    }

    enum Outcome {
        /// Something has changed: `started`, `queued`, `joined`, `done`.
        case effect(String)
        /// Nothing has: the name of the error that was answered.
        case refusal(String)

        var word: String {
            switch self {
            case .effect(let word), .refusal(let word): word
            }
        }
    }

    var method: Method
    var action: String?
    var reactor: String?
    var execution: ExecutionID?
    var outcome: Outcome
    /// Why, in the client's words.
    var reason: String?

    func log(by peer: Peer, to logger: Logger) {
        let level: Logger.Level =
            switch outcome {
            case .effect: .info
            case .refusal: .warning
            }
        guard level >= logger.logLevel else { return }
        var metadata: Logger.Metadata = [
            "message-id": "\(Self.messageID)", "peer-uid": "\(peer.uid)", "method": "\(method.rawValue)",
            "outcome": "\(outcome.word)",
        ]
        if let action { metadata["action"] = "\(action)" }
        if let reactor { metadata["reactor"] = "\(reactor)" }
        if let execution { metadata["execution"] = "\(execution)" }
        let target = [action, reactor, execution?.description].compactMap { $0 }.map { " \($0)" }.joined()
        logger.log(
            level: level,
            "uid \(peer.uid), pid \(peer.pid): \(method.rawValue)\(target): \(outcome.word)\(reason.map { ": \($0)" } ?? "")",
            metadata: metadata)
    }

    /// So many were not written, and this says so in their place.
    static func log(leftOut count: Int, _ kind: Kind, by uid: UInt32, to logger: Logger) {
        let level: Logger.Level =
            switch kind {
            case .refusals: .warning
            case .dispatches: .info
            }
        logger.log(
            level: level, "uid \(uid): \(count) more \(kind.rawValue), which are not told one by one",
            metadata: ["message-id": "\(messageID)", "peer-uid": "\(uid)", "left-out": "\(count)"])
    }
}

extension AuditRecord {
    /// The same with an error as its outcome.
    func refused(_ error: RPCError) -> AuditRecord {
        var record = self
        record.outcome = .refusal(error.name)
        return record
    }
}

extension RPCError {
    /// The stable name of the error; its number for one that has none.
    var name: String { errorCode?.name ?? "\(code)" }
}
