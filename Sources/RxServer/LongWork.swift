internal import JSONRPC
internal import RxHost
internal import RxLoop
internal import RxProtocol

// While one of these is in progress, the connection receives no further request, so that its requests are carried out
// in their order.

extension Call {
    /// Runs `work` on a thread of `RequestWorkers` and then `body`, with its result, on the loop.
    func runLong<Value: Sendable>(_ work: @escaping @Sendable () -> Value, then body: @escaping (Value) -> Void) {
        output.pauseInput()
        begin({ finish in finish(work()) }) { value in
            body(value)
            output.resumeInput()
        }
    }

    /// Runs `work`, which makes a long answer, when there is room for the answer, and then `body`, with its result, on
    /// the loop. If there is no room for too long, the request is refused.
    func answerLong<Value: Sendable>(_ work: @escaping @Sendable () -> Value, then body: @escaping (Value) -> Void) {
        beginLongAnswer({ finish in finish(work()) }, then: body)
    }

    /// Runs `work` like `answerLong`; it ends with the call of its argument, which may come later and from any thread.
    func beginLongAnswer<Value: Sendable>(
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
