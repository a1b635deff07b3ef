internal import JSONRPC
internal import Rx
internal import RxHost
internal import RxJSON
internal import RxProtocol
internal import RxLoop

/// Takes the result of a dispatch to the loop, unless it is there already, and answers the request.
final class DispatchAnswer: Sendable {
    private enum Phase {
        case dispatching
        /// The result came before `dispatch` returned.
        case early(Result<UInt64, DispatchRefusal>)
        case waiting
    }

    private let call: LoopConfined<Call>
    private let loop: EventLoop
    private let share: LoopShare
    private let reactor: LoopConfined<HostedReactor>
    private let phase = Locked(Phase.dispatching)
    /// What the account is charged with until the answer: the action and, where nothing else is charged, its place.
    private let kept: Int

    init(_ call: Call, reactor: HostedReactor, keeping bytes: Int) {
        self.call = LoopConfined(call)
        kept = bytes
        call.client.account.keep(bytes)
        loop = call.context.loop
        share = call.client.account.share
        self.reactor = LoopConfined(reactor)
    }

    /// Any thread.
    func take(_ result: Result<UInt64, DispatchRefusal>) {
        let isEarly = phase.withLock { phase -> Bool in
            guard case .dispatching = phase else { return false }
            phase = .early(result)
            return true
        }
        guard !isEarly else { return }
        loop.execute(in: share) { self.answer(result) }
    }

    /// On the loop, after `dispatch` has returned.
    func dispatched() {
        let early = phase.withLock { phase -> Result<UInt64, DispatchRefusal>? in
            if case .early(let result) = phase { return result }
            phase = .waiting
            return nil
        }
        if let early { answer(early) }
    }

    /// The action is not kept any more. Once, on the loop; `answer` does so.
    func release() {
        call.value.client.account.keep(-kept)
        call.value.context.memory.freed(kept)
    }

    private func answer(_ result: Result<UInt64, DispatchRefusal>) {
        let (call, reactor) = (call.value, reactor.value)
        release()
        switch result {
        case .success(let revision):
            audit(.effect("done"))
            call.reply.success { writer in
                writer.beginObject()
                writer.field("reactor", reactor.name)
                writer.field("revision", revision)
                writer.endObject()
            }
        case .failure(let refusal):
            let error = RPCError(
                refusal, reactor: reactor.name, reveals: call.client.maySubscribe(to: reactor))
            // The state has changed, although the change may not outlive the daemon.
            if case .notKept = refusal { audit(.effect("notKept")) } else { audit(.refusal(error.name)) }
            call.reply.failure(error)
        }
    }

    private func audit(_ outcome: AuditRecord.Outcome) {
        let (call, reactor) = (call.value, reactor.value.name)
        func record() -> AuditRecord { AuditRecord(method: .reactorDispatch, reactor: reactor, outcome: outcome) }
        switch outcome {
        case .effect: call.context.audit.write(record(), .dispatches, by: call.peer)
        case .refusal: call.client.audit(record())
        }
    }
}
