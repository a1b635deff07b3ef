internal import JSONRPC
internal import RxHost
internal import RxJSON
internal import RxLoop
internal import RxProtocol

/// The reading side of a connection: lines become requests, and requests are carried out.
final class Connection {
    let session: Session
    /// The socket's delegate, kept until the socket is closed; nil without a socket.
    var receiver: SocketReceiver?
    private let context: ServerContext
    private let reader: MessageReader
    private let client: Client
    private let output: ConnectionOutput
    /// Whether a batch goes on in later turns.
    private var isInBatch = false
    private var whenBatchEnds: (() -> Void)?
    @exclusivity(unchecked) private var unparsableLines = UnparsableLines()

    init(_ session: Session) {
        self.session = session
        context = session.context
        reader = session.context.reader
        client = session.client
        output = session.output
    }

    // MARK: What comes in

    func receive(_ line: UnsafeRawBufferPointer) {
        guard !output.isFinishing else { return }
        guard let bytes = bytesOfAnswers(line) else { return carryOut(line) }
        guard client.account.longAnswers.hasRoom(for: bytes) else { return hold(line, bytes) }
        client.account.longAnswers.begin(bytes)
        carryOut(line)
        endAnswers(bytes)
    }

    private func carryOut(_ line: UnsafeRawBufferPointer) {
        switch reader.read(line) {
        case .request(let request):
            unparsableLines.reset()
            handle(request)
        case .batch(let messages):
            unparsableLines.reset()
            handle(messages, in: line, nil)
        case .invalid(let id, let error):
            refuse(line, id: id, error)
        case .ignored:
            break
        case .response(let id, _):
            fail(id, .unexpectedResponse)
        case .failure(let id, _):
            fail(id ?? .null, .unexpectedResponse)
        }
        output.pauseInputIfFull()
    }

    func receiveTooLongLine() {
        guard !output.isFinishing else { return }
        fail(
            .null,
            RPCError(.tooLarge, message: "a line is longer than the limit") { writer in
                writer.field("limit", "lineBytes")
                writer.field("value", context.limits.lineBytes)
            })
        output.pauseInputIfFull()
    }

    /// Whether a request is in progress for which the next one waits: it is finished, and those behind it are carried
    /// out, even if the peer is gone.
    var isWorking: Bool { output.isWorking && !client.account.longLines.isWaiting(self) }

    /// The peer will never read again. What waits for it is dropped, so that the work in progress finds room.
    func peerIsGone() { output.discard() }

    /// A line is incomplete and long.
    func beganLongLine() { client.account.longLines.begin(self) }

    /// The long line is complete.
    func endedLongLine() {
        guard isWorking else { return client.account.longLines.end(self) }
        // Its request is in the memory still.
        client.account.longLines.complete(self)
        output.whenResumed = { [self] in
            output.whenResumed = nil
            client.account.longLines.end(self)
        }
    }

    /// No more requests will come; what is pending is still answered, and subscriptions go on.
    func receiveEnd() {
        output.inputEnded()
    }

    /// The peer takes bytes again.
    func becomeWritable() {
        output.flush()
    }

    // MARK: What waits as it came

    /// About how long the answers to a line may be if that is more than an idle connection may always have waiting; nil
    /// for most lines. Long inputs come back as elements and in errors.
    private func bytesOfAnswers(_ line: UnsafeRawBufferPointer) -> Int? {
        if line.count > Self.shortLine { return line.count }
        return line.first { $0 > UInt8(ascii: " ") } == UInt8(ascii: "[") ? context.limits.outboxBytes : nil
    }

    /// Bytes of the longest line that is carried out while there is no room for its answer.
    private static let shortLine = 16_384

    /// Carries a line out, or refuses what is in it, when there is room for its answers or none for too long. No
    /// further line is received until then.
    private func hold(_ line: UnsafeRawBufferPointer, _ bytes: Int) {
        let answers = client.account.longAnswers
        let copy = CopiedLine(copying: line)
        output.pauseInput()
        let resume = { [self] (carryOut: (UnsafeRawBufferPointer) -> Void) in
            if output.isOpen, !output.isFinishing {
                copy.withBytes(carryOut)
                output.charge()
            }
            output.resumeInput()
        }
        answers.whenRoom(bytes) { [self] in
            resume { carryOut($0) }
            endAnswers(bytes)
        } refuse: { [self] in
            resume { refuse($0, .limitReached("bytesPerUid", context.limits.bytesPerUid)) }
        }
    }

    /// Gives the room for the answers to a line back, once what is left of a batch is carried out, too.
    private func endAnswers(_ bytes: Int) {
        let answers = client.account.longAnswers
        if isInBatch { whenBatchEnds = { answers.end(bytes) } } else { answers.end(bytes) }
    }

    /// Answers the requests of a line with an error.
    private func refuse(_ line: UnsafeRawBufferPointer, _ error: RPCError) {
        switch reader.read(line) {
        case .request(let request):
            if let id = request.id { fail(id, error) }
        case .batch(let messages): handle(messages, in: line, error)
        case .invalid, .ignored, .response, .failure: carryOut(line)
        }
    }

    // MARK: Requests

    private func handle(_ request: Request) {
        guard let plain = PlainParameters(request) else { return handle(request, nil) }
        // Fast path for an `action.execute` whose work is a function of the input: nearly all requests.
        if let id = request.id, output.mayExpectAnswer {
            switch client.executeBriefly(plain) {
            case .done(let execution): return answer(id, execution)
            case .invalid(let faults): return refuse(id, faults)
            case .notBrief: break
            }
        }
        handle(request, plain)
    }

    private func handle(_ request: Request, _ plain: PlainParameters?) {
        if let id = request.id {
            if let refusal = output.refusalOfUnanswered { return fail(id, refusal) }
            output.expectAnswer()
        }
        perform(request, plain, Reply(id: request.id, output: output, batch: nil))
        context.loop.spendLong()
    }

    private func answer(_ id: RequestID, _ execution: BriefExecution) {
        if let element = execution.element, !element.hasNewline, context.limits.elementsPerReply > 0,
            element.utf8.count <= context.limits.outboxBytes
        {
            output.reply { $0.response(id, execution.id, element) }
        } else {
            output.expectAnswer()
            execution.answer(Call(session: session, reply: Reply(id: id, output: output, batch: nil)))
        }
    }

    /// Answers a request for the action that the client knows, whose input is not valid.
    private func refuse(_ id: RequestID, _ faults: [InputFault]) {
        guard let action = client.known?.action else { return }
        let error = RPCError(ExecutionRefusal.input(faults), action: action.name)
        client.audit(AuditRecord(executing: action, nil, error))
        fail(id, error)
    }

    /// - Parameter error: refuses all requests, and drops the notifications; nil carries them out.
    private func handle(_ messages: [Incoming], in line: UnsafeRawBufferPointer, _ error: RPCError?) {
        var answers = 0
        for message in messages {
            switch message {
            case .request(let request): answers += request.id == nil ? 0 : 1
            case .ignored: break
            case .invalid, .response, .failure, .batch: answers += 1
            }
        }
        let batch = Batch(output: output, answers: answers, limit: context.limits.outboxBytes)
        let refusal = error ?? output.refusalOfUnanswered
        // A batch counts as one unanswered request.
        if answers > 0 { output.expectAnswer() }
        let answering = BatchInProgress(batch: batch, refusal: refusal, dropsNotifications: error != nil)
        guard let next = handle(messages, from: 0, answering) else { return }
        output.pauseInput()
        output.beginLine()
        isInBatch = true
        goOn(with: CopiedLine(copying: line), from: next, answering)
    }

    /// How the messages of a batch are answered.
    private struct BatchInProgress {
        let batch: Batch
        /// Why requests are refused; nil if they are carried out.
        let refusal: RPCError?
        let dropsNotifications: Bool
    }

    /// Handles messages until the turn has to end, and at least one.
    ///
    /// - Returns: the place of the first one that is left, which is for another turn; nil if none is.
    private func handle(_ messages: [Incoming], from first: Int, _ answering: BatchInProgress) -> Int? {
        for index in first..<messages.count {
            handle(messages[index], answering)
            context.loop.spendLong()
            if index + 1 < messages.count, context.loop.isTurnOver() { return index + 1 }
        }
        return nil
    }

    private func handle(_ message: Incoming, _ answering: BatchInProgress) {
        func reply(to id: RequestID?) -> Reply { Reply(id: id, output: output, batch: answering.batch) }
        switch message {
        case .request(let request):
            // What was carried out before a stop is answered, and with it what was not.
            let refusal = answering.refusal ?? (output.isFinishing ? RPCError(.shuttingDown) : nil)
            if let refusal, request.id != nil || answering.dropsNotifications || output.isFinishing {
                reply(to: request.id).failure(refusal)
            } else {
                perform(request, PlainParameters(request), reply(to: request.id))
            }
        case .invalid(let id, let error): reply(to: id).failure(error)
        case .response(let id, _): reply(to: id).failure(RPCError(.invalidRequest))
        case .failure(let id, _): reply(to: id ?? .null).failure(RPCError(.invalidRequest))
        case .ignored: break
        case .batch: reply(to: .null).failure(RPCError(.invalidRequest))
        }
    }

    /// Handles the messages of a batch from `first` on in later turns. No further line is received until then.
    private func goOn(with line: CopiedLine, from first: Int, _ answering: BatchInProgress) {
        context.loop.execute(in: client.account.share) {
            [self = LoopConfined(self), answering = LoopConfined(answering)] in
            self.value.resume(line, from: first, answering.value)
        }
    }

    private func resume(_ line: CopiedLine, from first: Int, _ answering: BatchInProgress) {
        let next = line.withBytes { bytes -> Int? in
            // What was read before is gone: others have used the reader since.
            guard output.isOpen, case .batch(let messages) = reader.read(bytes) else { return nil }
            return handle(messages, from: first, answering)
        }
        output.charge()
        if let next { return goOn(with: line, from: next, answering) }
        isInBatch = false
        whenBatchEnds?()
        whenBatchEnds = nil
        output.endLine()
        output.resumeInput()
    }

    private func perform(_ request: Request, _ plain: PlainParameters?, _ reply: Reply) {
        MethodTable.perform(request, plain, Call(session: session, reply: reply))
    }

    // MARK: What is refused

    private func refuse(_ line: UnsafeRawBufferPointer, id: RequestID, _ error: RPCError) {
        guard error.errorCode == .parseError else {
            fail(id, error)
            return
        }
        let isOtherProtocol = unparsableLines.add()
        if UnparsableLines.isHTTP(line) {
            fail(id, RPCError(.parseError, message: "this socket speaks JSON-RPC 2.0, one object per line, not HTTP"))
            session.finish()
        } else {
            fail(id, error)
            if isOtherProtocol { session.finish() }
        }
    }

    /// Sends the reason why the peer is not served, and closes.
    func refuse(_ error: RPCError) {
        fail(.null, error)
        session.finish()
    }

    private func fail(_ id: RequestID, _ error: RPCError) {
        output.reply { MessageWriter.error(id, error, into: &$0) }
    }

    // MARK: The end

    /// The peer is gone, or the transport was closed by us.
    func didClose() {
        guard output.isOpen else { return }
        client.account.longLines.end(self)
        output.whenResumed = nil
        output.didClose()
        session.end()
    }
}

extension Connection: LongLines.Owner {
    func pauseLongLine() { output.pauseInput() }

    func resumeLongLine() { output.resumeInput() }

    func refuseLongLine() {
        refuse(
            RPCError(
                .limitReached,
                message: "the line was not completed in time while other long lines of this user waited"
            ) {
                $0.field("limit", "longLines")
                $0.field("value", LongLines.most)
            })
        endedLongLine()
    }
}
