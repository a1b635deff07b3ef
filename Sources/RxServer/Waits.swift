internal import Rx
internal import RxRecords
internal import JSONRPC
internal import RxHost
internal import RxJSON
internal import RxProtocol
internal import RxLoop

/// Everything that one client waits for. A wait ends with its answer, with a refusal, or with the connection.
final class Waits {
    /// What a client waits for and must be allowed to see all the while.
    struct Target {
        let action: HostedAction
        /// Nil for all executions of the action.
        let execution: HostedExecution?
    }

    private struct Guarded {
        let target: Target
        /// Answers with an error instead.
        let refuse: (RPCError) -> Void
    }

    private let client: Client
    private let context: ServerContext
    /// Ends an observation, by its token.
    private var observations: [UInt64: () -> Void] = [:]
    /// Waits that end when the client loses the right to them.
    private var guarded: [UInt64: Guarded] = [:]

    init(of client: Client, in context: ServerContext) {
        self.client = client
        self.context = context
    }

    /// The number of observations that have not ended.
    var count: Int { observations.count }

    /// Keeps an observation until `stop` or until the client goes; `end` ends it.
    ///
    /// - Returns: the token to stop it by.
    func observe(_ end: @escaping () -> Void) -> UInt64 {
        let token = context.makeToken()
        observations[token] = end
        return token
    }

    func stop(_ token: UInt64) {
        guarded[token] = nil
        observations.removeValue(forKey: token)?()
    }

    /// Ends all of them without an answer: the client is gone.
    func end() {
        for end in observations.values { end() }
        observations = [:]
        guarded = [:]
    }

    /// Answers when `begin` has called back, or with `timedOut` after `timeout`.
    ///
    /// - Parameter target: what the client must be allowed to see all the while; nil if that is settled.
    func wait(
        _ reply: Reply, timeout: Duration?, for target: Target?,
        _ begin: (_ callback: @escaping @Sendable () -> Void) -> any Disposable,
        answer: @escaping (Reply) -> Void
    ) {
        // A notification is not answered, so there is nothing to wait for.
        guard reply.id != nil else { return }
        let answer = LoopConfined(SingleAnswer(reply, answer))
        let token = context.makeToken()
        let observation = begin { [loop = context.loop, share = client.account.share, self = LoopConfined(self)] in
            loop.execute(in: share) {
                self.value.stop(token)
                answer.value.succeed()
            }
        }
        let timer = timeout.map { timeout in
            context.loop.schedule(after: timeout) { [self] in
                stop(token)
                answer.value.fail(
                    RPCError(.timedOut, message: "the wait ended first; the work continues") { writer in
                        writer.field("timeout", timeout.rxText)
                    })
            }
        }
        observations[token] = {
            observation.dispose()
            timer?.cancel()
        }
        if let target { guarded[token] = Guarded(target: target) { answer.value.fail($0) } }
    }

    /// Answers at the end of an execution, with its record.
    func wait(_ reply: Reply, timeout: Duration?, forEndOf execution: HostedExecution, as target: Target?) {
        wait(reply, timeout: timeout, for: target) { callback in
            execution.observeEnd { _ in callback() }
        } answer: { [context, client] reply in
            if let error = execution.unkeptEnd { return reply.failure(RPCError(error)) }
            // The host is about to drop it; many may wait for the same end.
            let record = client.shown(context.host.log.record(of: execution)).withoutLongInput
            reply.success(bytes: record.approximateBytes) { record.write(to: &$0) }
        }
    }

    /// Refuses what waits for actions, or for their executions, that the client may not see any more.
    ///
    /// - Parameter sources: those whose rights may have changed.
    /// - Returns: how many waits there were.
    func authorizeAgain(for sources: [ObjectIdentifier: Hosted]) -> Int {
        let count = guarded.count
        for (token, wait) in guarded where sources[ObjectIdentifier(wait.target.action)] != nil {
            let action = wait.target.action
            let isAllowed =
                if let execution = wait.target.execution {
                    client.mayRead(execution)
                } else {
                    client.mayRead(action)
                }
            guard !isAllowed else { continue }
            stop(token)
            wait.refuse(client.refusal(of: "read", action: action.name, execution: wait.target.execution?.id))
        }
        return count
    }
}

/// The answer to one request, given once.
private final class SingleAnswer {
    private let reply: Reply
    private var answer: ((Reply) -> Void)?

    init(_ reply: Reply, _ answer: @escaping (Reply) -> Void) {
        self.reply = reply
        self.answer = answer
    }

    func succeed() {
        take()?(reply)
    }

    func fail(_ error: RPCError) {
        if take() != nil { reply.failure(error) }
    }

    private func take() -> ((Reply) -> Void)? {
        defer { answer = nil }
        return answer
    }
}
