internal import JSONRPC
internal import Rx
internal import RxAction
internal import RxHost
internal import RxJSON
internal import RxProtocol
internal import RxRecords

/// `action.cancel`: cancels the executions of an action that the client may cancel, and answers when they have ended.
struct ActionCancel: MethodHandler {
    static let method = Method.actionCancel

    /// The most executions that one request cancels, so that it neither holds up the loop nor has a long answer.
    static let mostAtOnce = 256

    private let call: Call
    private let action: HostedAction
    /// The time between SIGTERM and SIGKILL.
    private let grace: Duration?

    init(_ params: JSONView?, _ call: Call) throws(RPCError) {
        let parameters = try Parameters(params, of: Self.method)
        grace = try parameters.optionalDuration("grace", orZero: true)
        action = try call.client.action(parameters.string("action"), allowing: .read, for: Self.method)
        self.call = call
    }

    func perform() throws(RPCError) {
        // The newest first: a queued one must not start because the one in flight has ended.
        let all = call.host.log.inFlight.filter { $0.action === action }.sorted { $0.id > $1.id }
        let allowed = all.filter { call.client.mayCancel($0) }
        if let refused = all.first, allowed.isEmpty {
            return try call.client.authorize(
                .cancel, on: refused.id, of: action.name, by: call.host.log.record(of: refused).by, for: Self.method)
        }
        let chosen = allowed.prefix(Self.mostAtOnce)
        for execution in chosen {
            call.client.audit(
                AuditRecord(
                    method: Self.method, action: action.name, execution: execution.id, outcome: .effect("done")))
            execution.cancel(by: call.peer.origin, grace: grace)
        }
        let ids = chosen.map(\.id).sorted()
        guard !ids.isEmpty else { return answer(call.reply, ids, truncated: false) }
        call.session.waits.wait(call.reply, timeout: nil, for: nil) { callback in
            let left = Countdown(chosen.count) { callback() }
            return CompositeDisposable(
                disposables: chosen.map { execution in
                    execution.observeEnd { _ in left.count() }
                })
        } answer: { [isTruncated = allowed.count > chosen.count] reply in
            answer(reply, ids, truncated: isTruncated)
        }
    }

    private func answer(_ reply: Reply, _ ids: [ExecutionID], truncated: Bool) {
        reply.success { writer in
            writer.object { writer in
                writer.field("action", action.name)
                writer.array("executions") { writer in
                    for id in ids { writer.string(id.description) }
                }
                if truncated { writer.field("truncated", true) }
            }
        }
    }
}
