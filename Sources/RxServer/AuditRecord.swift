internal import JSONRPC
internal import Logging
internal import RxAction
internal import RxHost
internal import RxProtocol

/// One log record about something that a client did, or was refused.
///
/// Written for each `action.execute` (of an `ActionDefinition.answer` only when it fails), `action.enable`,
/// `action.disable`, `execution.cancel`, `reactor.dispatch`, `stream.send`, `stream.fire`, `stream.enable`,
/// `stream.disable`, and `server.reload`; for each execution that `action.cancel` cancels; and for each forbidden
/// attempt.
///
/// Refusals, and what starts nothing (dispatches, sent elements, joined executions), have an allowance
/// (`AuditAllowance`), and the records beyond it are counted; the history of a persistent reactor has every dispatch
/// that led to a mutation. In the journal, the fields are `MESSAGE_ID` (`AuditRecord.messageID`), `RXD_PEER_UID`,
/// `RXD_METHOD`, `RXD_OUTCOME`, and, if they apply, `RXD_ACTION`, `RXD_REACTOR`, `RXD_STREAM`, and `RXD_EXECUTION`.
struct AuditRecord {
    /// `journalctl MESSAGE_ID=…` shows all of them.
    static let messageID = "ddca655f04bb4d7ea2b446e25474080e"

    /// The kinds of records that have an allowance.
    enum Kind: String {
        case refusals, dispatches
        /// Elements for streams.
        case sends
        /// Executions that were joined rather than started.
        case joins
    }

    enum Outcome {
        /// Something has changed: `started`, `queued`, `joined`, `done`, and so on.
        case effect(String)
        /// Nothing has changed: the name of the error in the answer.
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
    var stream: String?
    var execution: ExecutionID?
    var outcome: Outcome
    /// The client's reason, in its own words.
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
        if let stream { metadata["stream"] = "\(stream)" }
        if let execution { metadata["execution"] = "\(execution)" }
        let target = [action, reactor, stream, execution?.description].compactMap { $0 }.map { " \($0)" }.joined()
        let suffix = reason.map { ": \($0)" } ?? ""
        logger.log(
            level: level,
            "uid \(peer.uid), pid \(peer.pid): \(method.rawValue)\(target): \(outcome.word)\(suffix)",
            metadata: metadata)
    }

    /// Logs that `count` records were left out.
    static func log(leftOut count: Int, _ kind: Kind, by uid: UInt32, to logger: Logger) {
        let level: Logger.Level =
            switch kind {
            case .refusals: .warning
            case .dispatches, .sends, .joins: .info
            }
        logger.log(
            level: level, "uid \(uid): \(count) more \(kind.rawValue) were not logged one by one",
            metadata: ["message-id": "\(messageID)", "peer-uid": "\(uid)", "left-out": "\(count)"])
    }
}

extension AuditRecord {
    /// An execution that was refused or has failed.
    init(executing action: Hosted, _ execution: ExecutionID?, _ error: RPCError) {
        self.init(
            method: .actionExecute, action: action.name, execution: execution, outcome: .refusal(error.name))
    }

    /// The same record with an error as its outcome.
    func refused(_ error: RPCError) -> AuditRecord {
        var record = self
        record.outcome = .refusal(error.name)
        return record
    }
}

extension RPCError {
    /// The stable name of the error, or its number if it has none.
    var name: String { errorCode?.name ?? "\(code)" }
}
