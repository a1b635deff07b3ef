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
        let mayCancel = call.client.checking(.cancel)
        guard call.host.log.inFlightCount > Self.mostAtOnce else {
            return try cancel(Candidates(of: action, in: call.host.log, if: mayCancel))
        }
        call.runLong { [action, log = call.host.log] in
            Candidates(of: action, in: log, if: mayCancel)
        } then: { found in
            call.attempt { () throws(RPCError) in
                // A reload may have taken the right away meanwhile.
                try cancel(Candidates(found, if: mayCancel))
            }
        }
    }

    /// The executions in flight that are canceled.
    private struct Candidates: Sendable {
        let chosen: [HostedExecution]
        let isTruncated: Bool
        /// One that the client may not cancel, if there is nothing that it may.
        let refused: HostedExecution?

        /// Any thread.
        init(of action: HostedAction, in log: EventLog, if mayCancel: Client.ExecutionCheck) {
            // The newest first: a queued one must not start because the one in flight has ended.
            let all = log.inFlight.filter { $0.action === action }.sorted { $0.id > $1.id }
            let allowed = all.filter(mayCancel)
            chosen = Array(allowed.prefix(ActionCancel.mostAtOnce))
            isTruncated = allowed.count > chosen.count
            refused = allowed.isEmpty ? all.first : nil
        }

        /// The candidates that the client may still cancel.
        init(_ found: Candidates, if mayCancel: Client.ExecutionCheck) {
            chosen = found.chosen.filter(mayCancel)
            isTruncated = found.isTruncated
            refused = chosen.isEmpty ? found.refused ?? found.chosen.first : nil
        }
    }

    private func cancel(_ found: Candidates) throws(RPCError) {
        if let refused = found.refused {
            try call.client.authorize(
                .cancel, on: refused.id, of: action.name, by: call.host.log.record(of: refused).by, for: Self.method)
        }
        let chosen = found.chosen
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
        } answer: { reply in
            answer(reply, ids, truncated: found.isTruncated)
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
