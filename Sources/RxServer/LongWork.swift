internal import JSONRPC
internal import RxHost
internal import RxJSON
internal import RxLoop
internal import RxProtocol

// While one of these is in progress, the connection receives no further request, so that its requests are carried out
// in their order.

extension Call {
    /// Runs `work` on a thread of `RequestWorkers` and then `body`, with its result, on the loop.
    func runLong<Value: Sendable>(_ work: @escaping @Sendable () -> Value, then body: @escaping (Value) -> Void) {
        beginLong({ finish in finish(work()) }, then: body)
    }

    /// Like `runLong`; the work ends with the call of its argument, which may come later and from any thread.
    func beginLong<Value: Sendable>(_ work: @escaping Work<Value>, then body: @escaping (Value) -> Void) {
        output.pauseInput()
        begin(work) { value in
            body(value)
            output.resumeInput()
        }
    }

    /// Answers when there is room for about `bytes`: at once, mostly. If there is no room for too long, the request is
    /// refused.
    ///
    /// - Parameter answer: called on the loop; it checks the client's rights again, which a reload may have taken away.
    func answer(about bytes: Int, _ answer: @escaping () throws(RPCError) -> Void) throws(RPCError) {
        guard bytes > Self.shortAnswer else { return try answer() }
        guard !client.account.longAnswers.hasRoom(for: bytes) else {
            // Others in this turn must see what is left.
            defer { output.charge() }
            return try answer()
        }
        output.pauseInput()
        whenRoom(bytes) { room in
            attempt(answer)
            room.end()
        }
    }

    /// Answers with what the result of `read` writes: at once if that has only few bytes, and otherwise, when there is
    /// room, on a thread of `RequestWorkers`.
    ///
    /// - Parameters:
    ///   - work: what else it takes to write the answer, as the number of bytes that take as long.
    ///   - read: called on the loop, where it takes what the answer is made of. It checks the client's rights again,
    ///     which a reload may have taken away.
    func writeAnswer(
        about bytes: Int, work: Int = 0, reading read: @escaping () throws(RPCError) -> Writing
    ) throws(RPCError) {
        guard bytes + work > Self.shortAnswer else { return reply.success(try read()) }
        beginLongAnswer(bytes, length: \.count) { () throws(RPCError) in
            let write = try read()
            return { finish in
                var writer = JSONWriter(reserving: bytes)
                write(&writer)
                finish(writer.bytes)
            }
        } then: { (text: [UInt8]) in
            reply.success(text)
        }
    }

    /// Writes a result. Any thread.
    typealias Writing = @Sendable (inout JSONWriter) -> Void

    /// Bytes of the longest answer that needs no room: one for each connection may be beyond the user's limit.
    static let shortAnswer = 4096

    /// Runs `work`, which makes an answer of about `bytes`, when there is room for that, and then `body`, with its
    /// result, on the loop. If there is no room for too long, the request is refused.
    ///
    /// - Parameters:
    ///   - length: about how long the answer is that was made. If that is more than `bytes`, and there is no room for
    ///     it, the result is dropped and made again when there is.
    ///   - check: checks the client's rights again when the work begins and when it has ended, because a reload may
    ///     have taken them away meanwhile.
    func answerLong<Value: Sendable>(
        _ bytes: Int, length: @escaping (Value) -> Int = { _ in 0 },
        if check: @escaping () throws(RPCError) -> Void = {}, _ work: @escaping @Sendable () -> Value,
        then body: @escaping (Value) throws(RPCError) -> Void
    ) {
        beginLongAnswer(bytes, length: length, if: check, { finish in finish(work()) }, then: body)
    }

    /// Like `answerLong`, for an answer whose length takes long to find: `measure` is run beside the loop too.
    func answerLong<Value: Sendable>(
        measuring measure: @escaping @Sendable () -> Int, length: @escaping (Value) -> Int,
        if check: @escaping () throws(RPCError) -> Void,
        _ work: @escaping @Sendable () -> Value, then body: @escaping (Value) throws(RPCError) -> Void
    ) {
        runLong(measure) { answerLong($0, length: length, if: check, work, then: body) }
    }

    /// Runs `work` like `answerLong`; it ends with the call of its argument, which may come later and from any thread.
    func beginLongAnswer<Value: Sendable>(
        _ bytes: Int, length: @escaping (Value) -> Int = { _ in 0 },
        if check: @escaping () throws(RPCError) -> Void = {},
        _ work: @escaping Work<Value>, then body: @escaping (Value) throws(RPCError) -> Void
    ) {
        beginLongAnswer(bytes, length: length) { () throws(RPCError) in
            try check()
            return work
        } then: { (value) throws(RPCError) in
            try check()
            try body(value)
        }
    }

    /// The work of a long answer, on a thread of `RequestWorkers`; ends with the call of its argument on any thread.
    typealias Work<Value> = @Sendable (_ finish: @escaping @Sendable (Value) -> Void) -> Void

    /// Like `beginLongAnswer`, with work that is made on the loop when there is room.
    func beginLongAnswer<Value: Sendable>(
        _ bytes: Int, length: @escaping (Value) -> Int = { _ in 0 },
        _ make: @escaping () throws(RPCError) -> Work<Value>,
        then body: @escaping (Value) throws(RPCError) -> Void
    ) {
        output.pauseInput()
        whenRoom(bytes) { room in
            let isBegun = attempt { () throws(RPCError) in
                begin(try make()) { value in
                    let bytes = length(value)
                    if room.extend(to: bytes) {
                        attempt { () throws(RPCError) in try body(value) }
                    } else {
                        beginLongAnswer(bytes, length: length, make, then: body)
                    }
                    room.end()
                }
            }
            if !isBegun { room.end() }
        }
    }

    /// Calls `begin` when there is room for an answer of about `bytes`; the room ends once there is an answer, or an
    /// error. The connection receives no further request until then.
    func beginAnswer(_ bytes: Int, _ begin: @escaping (AnswerRoom) -> Void) {
        output.pauseInput()
        whenRoom(bytes, begin)
    }

    /// Calls `begin` when there is room for an answer of about `bytes`, unless the request is refused. The input is
    /// paused, and resumed at the end of the room.
    private func whenRoom(_ bytes: Int, _ begin: @escaping (AnswerRoom) -> Void) {
        let answers = client.account.longAnswers
        answers.whenRoom(bytes) {
            let room = AnswerRoom(bytes, of: answers) { bytes in
                // The account has either the answer or what was reserved for it.
                output.charge()
                // What it was made of.
                context.memory.freed(bytes)
                output.resumeInput()
            }
            guard output.hasReader else { return room.end() }
            if let refusal = reply.refusal {
                reply.failure(refusal)
                room.end()
            } else {
                begin(room)
            }
        } refuse: {
            reply.failure(.limitReached("bytesPerUid", context.limits.bytesPerUid))
            output.resumeInput()
        }
    }

    /// Answers with the error that `body` throws, if it does.
    ///
    /// - Returns: whether it has not.
    @discardableResult
    func attempt(_ body: () throws(RPCError) -> Void) -> Bool {
        do throws(RPCError) {
            try body()
            return true
        } catch {
            reply.failure(error)
            return false
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
