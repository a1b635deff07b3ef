internal import RxStore
internal import RxRecords
internal import JSONRPC
internal import Logging
internal import RxHost
internal import RxJSON
internal import RxProtocol
internal import RxLoop

/// What `action.enable` and `action.disable` have in common.
struct ActionSwitch {
    let call: Call
    /// The client's words, if it gave any.
    let reason: String?
    private let method: Method
    private let action: HostedAction

    init(_ params: JSONView?, _ call: Call, _ method: Method) throws(RPCError) {
        let parameters = try Parameters(params, of: method)
        reason = try parameters.switchReason()
        action = try call.client.action(parameters.string("action"), allowing: .manage, for: method)
        self.call = call
        self.method = method
    }

    /// Answers once the switch is on the disk, if the host persists it.
    ///
    /// - Parameter manual: nil to enable.
    func perform(_ manual: ManualSwitch?) {
        call.context.logger.notice(
            "\(action.name) is switched \(manual == nil ? "on" : "off")\(reason.map { ": \($0)" } ?? "")",
            metadata: ["action": "\(action.name)", "peer-uid": "\(call.peer.uid)"])
        let share = call.client.account.share
        call.host.set(manual, of: action) { [self = LoopConfined(self), loop = call.context.loop] error in
            loop.execute(in: share) { self.value.answer(error) }
        }
    }

    private func answer(_ failure: StoreError?) {
        let record = AuditRecord(method: method, action: action.name, outcome: .effect("done"), reason: reason)
        if let failure {
            let error = RPCError(failure)
            call.client.audit(record.refused(error))
            return call.reply.failure(error)
        }
        call.client.audit(record)
        let levels = call.host.log.snapshot(of: [action]).levels[0]
        call.reply.success { writer in
            writer.beginObject()
            writer.field("action", action.name)
            call.client.shown(levels.enabled).write(to: &writer)
            writer.endObject()
        }
    }
}

extension Parameters {
    /// Longest reason in bytes: every refusal repeats it.
    private static let reasonBytes = 1024

    /// The reason for a switch, if there is one.
    func switchReason() throws(RPCError) -> String? {
        let reason = try optionalString("reason")
        guard let reason, reason.utf8.count > Self.reasonBytes else { return reason }
        throw fault("reason", "must have at most \(Self.reasonBytes) bytes")
    }
}
