internal import JSONRPC
internal import RxHost
internal import RxLoop
internal import RxProtocol

extension Call {
    /// Runs `work` on a thread of `RequestWorkers` and then `body`, with its result, on the loop. The connection
    /// receives no further request until then, so that its requests are carried out in their order.
    func runLong<Value: Sendable>(_ work: @escaping @Sendable () -> Value, then body: @escaping (Value) -> Void) {
        beginLong({ finish in finish(work()) }, then: body)
    }

    /// Runs `work` like `runLong`; it ends with the call of its argument, which may come later and from any thread.
    func beginLong<Value: Sendable>(
        _ work: @escaping @Sendable (_ finish: @escaping @Sendable (Value) -> Void) -> Void,
        then body: @escaping (Value) -> Void
    ) {
        output.pauseInput()
        let answers = client.account.longAnswers
        answers.whenRoom {
            begin(work) { value in
                body(value)
                answers.end()
                output.resumeInput()
            }
        } refuse: {
            reply.failure(.limitReached("bytesPerUid", context.limits.bytesPerUid))
            output.resumeInput()
        }
    }

    private func begin<Value: Sendable>(
        _ work: @escaping @Sendable (_ finish: @escaping @Sendable (Value) -> Void) -> Void,
        then body: @escaping (Value) -> Void
    ) {
        let body = LoopConfined(body)
        context.workers.run(for: peer.uid) { [loop = context.loop, share = client.account.share] in
            work { value in
                loop.execute(in: share) { body.value(value) }
            }
        }
    }
}
