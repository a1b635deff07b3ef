internal import JSONRPC
internal import Logging
internal import RxHost
internal import RxJSON
internal import RxLoop
internal import RxProtocol
internal import RxRecords
internal import RxStore

/// What `stream.enable` and `stream.disable` have in common.
struct StreamSwitch {
    let call: Call
    /// The client's words, if it gave any.
    let reason: String?
    private let method: Method
    private let stream: any HostedStream

    init(_ params: JSONView?, _ call: Call, _ method: Method) throws(RPCError) {
        let parameters = try Parameters(params, of: method)
        reason = try parameters.switchReason()
        stream = try call.client.stream(parameters.string("stream"), allowing: .manage, for: method)
        self.call = call
        self.method = method
    }

    /// Answers once the switch is on the disk, if the host persists it.
    ///
    /// - Parameter manual: nil to enable.
    func perform(_ manual: ManualSwitch?) {
        call.context.logger.notice(
            "\(stream.name) is switched \(manual == nil ? "on" : "off")\(reason.map { ": \($0)" } ?? "")",
            metadata: ["stream": "\(stream.name)", "peer-uid": "\(call.peer.uid)"])
        let share = call.client.account.share
        call.host.set(manual, of: stream) { [self = LoopConfined(self), loop = call.context.loop] error in
            loop.execute(in: share) { self.value.answer(error) }
        }
    }

    private func answer(_ failure: StoreError?) {
        let record = AuditRecord(method: method, stream: stream.name, outcome: .effect("done"), reason: reason)
        if let failure {
            let error = RPCError(failure)
            call.client.audit(record.refused(error))
            return call.reply.failure(error)
        }
        call.client.audit(record)
        let summary = call.client.summary(ofStream: stream.name)
        call.reply.success { writer in
            writer.object { writer in
                writer.field("stream", stream.name)
                writer.field("state", summary["state"]?.string ?? "")
                if let reason = summary["reason"]?.string { writer.field("reason", reason) }
            }
        }
    }
}
