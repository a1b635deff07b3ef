internal import JSONRPC
internal import RxHost
internal import RxJSON
internal import RxProtocol
internal import RxLoop

/// One client's connection: lines in, lines out.
// Unchecked: everything but `isOpen`'s readers on the loop runs on the event loop's thread; closures that come from
// elsewhere carry the connection only to hand it back to the loop.
final class Connection: @unchecked Sendable {
    /// Most requests that may wait for their answers: each costs a few hundred bytes while it waits.
    static let unansweredTolerated = 1024

    let server: Server
    let peer: Peer
    private(set) var session: Session!
    /// The socket's delegate, kept until the socket is closed; nil without a socket.
    var receiver: SocketReceiver?
    private let transport: any Transport
    private let outbox: Outbox
    /// Requests that wait for their answer.
    @exclusivity(unchecked) private var unanswered = 0
    @exclusivity(unchecked) private var unparsableLines = UnparsableLines()
    @exclusivity(unchecked) private var isAtEnd = false
    @exclusivity(unchecked) private var isPaused = false
    @exclusivity(unchecked) private var isFinishing = false
    @exclusivity(unchecked) private var willFlush = false
    private var replays = Replays()
    /// The bytes that wait for the peer, as its user's account has them.
    private var accountedBytes = 0
    private let patience: ReaderPatience
    @exclusivity(unchecked) private(set) var isOpen = true

    init(server: Server, transport: any Transport, peer: Peer) {
        self.server = server
        self.transport = transport
        self.peer = peer
        patience = ReaderPatience(server.patience, on: server.loop)
        outbox = Outbox(limit: server.limits.outboxBytes, spares: server.spares)
        session = Session(connection: self)
    }

    // MARK: What comes in

    func receive(_ line: UnsafeRawBufferPointer) {
        guard !isFinishing else { return }
        switch server.reader.read(line) {
        case .request(let request):
            unparsableLines.reset()
            handle(request)
        case .batch(let messages):
            unparsableLines.reset()
            handle(messages)
        case .invalid(let id, let error):
            refuse(line, id: id, error)
        case .ignored:
            break
        case .response(let id, _):
            fail(id, .unexpectedResponse)
        case .failure(let id, _):
            fail(id ?? .null, .unexpectedResponse)
        }
        pauseIfFull()
    }

    private func pauseIfFull() {
        guard outbox.isFull, !isPaused else { return }
        isPaused = true
        transport.pauseReading()
    }

    func receiveTooLongLine() {
        guard !isFinishing else { return }
        fail(
            .null,
            RPCError(.tooLarge, message: "a line is longer than the limit") { writer in
                writer.field("limit", "lineBytes")
                writer.field("value", server.limits.lineBytes)
            })
        pauseIfFull()
    }

    /// No more requests will come; what is pending is still answered, and subscriptions go on.
    func receiveEnd() {
        isAtEnd = true
        scheduleFlush()
    }

    private func handle(_ request: Request) {
        // Fast path for an `action.execute` whose work is a function of the input: nearly all requests.
        if let id = request.id, unanswered < Connection.unansweredTolerated,
            let execution = session.executeBriefly(request)
        {
            if let element = execution.element, !element.hasNewline, server.limits.elementsPerReply > 0,
                element.utf8.count <= server.limits.outboxBytes
            {
                outbox.reply { $0.response(id, execution.id, element) }
                scheduleFlush()
            } else {
                unanswered += 1
                execution.answer(Call(session: session, reply: Reply(id: id, connection: self, batch: nil)))
            }
            return
        }
        if let id = request.id {
            guard unanswered < Connection.unansweredTolerated else {
                fail(id, .limitReached("unanswered", Connection.unansweredTolerated))
                return
            }
            unanswered += 1
        }
        session.handle(request, Reply(id: request.id, connection: self, batch: nil))
    }

    private func handle(_ messages: [Incoming]) {
        var answers = 0
        for message in messages {
            switch message {
            case .request(let request): answers += request.id == nil ? 0 : 1
            case .ignored: break
            case .invalid, .response, .failure, .batch: answers += 1
            }
        }
        // A batch counts as one unanswered request.
        let batch = Batch(connection: self, answers: answers, limit: server.limits.outboxBytes)
        let isOneTooMany = unanswered >= Connection.unansweredTolerated
        for message in messages {
            switch message {
            case .request(let request):
                let reply = Reply(id: request.id, connection: self, batch: batch)
                if isOneTooMany, request.id != nil {
                    reply.failure(.limitReached("unanswered", Connection.unansweredTolerated))
                } else {
                    session.handle(request, reply)
                }
            case .invalid(let id, let error):
                Reply(id: id, connection: self, batch: batch).failure(error)
            case .response(let id, _):
                Reply(id: id, connection: self, batch: batch).failure(RPCError(.invalidRequest))
            case .failure(let id, _):
                Reply(id: id ?? .null, connection: self, batch: batch).failure(RPCError(.invalidRequest))
            case .ignored:
                break
            case .batch:
                Reply(id: .null, connection: self, batch: batch).failure(RPCError(.invalidRequest))
            }
        }
        if answers > 0 { unanswered += 1 }
    }

    private func refuse(_ line: UnsafeRawBufferPointer, id: RequestID, _ error: RPCError) {
        guard error.errorCode == .parseError else {
            fail(id, error)
            return
        }
        let isOtherProtocol = unparsableLines.add()
        if UnparsableLines.isHTTP(line) {
            fail(id, RPCError(.parseError, message: "this socket speaks JSON-RPC 2.0, one object per line, not HTTP"))
            finish()
        } else {
            fail(id, error)
            if isOtherProtocol { finish() }
        }
    }

    /// Sends the reason why the peer is not served, and closes.
    func refuse(_ error: RPCError) {
        fail(.null, error)
        finish()
    }

    private func fail(_ id: RequestID, _ error: RPCError) {
        outbox.reply { MessageWriter.error(id, error, into: &$0) }
        scheduleFlush()
    }

    // MARK: What goes out

    func answer(_ body: (inout JSONWriter) -> Void) {
        guard isOpen else { return }
        unanswered -= 1
        outbox.reply(body)
        scheduleFlush()
    }

    /// - Returns: whether the subscription goes on; if not, it has ended because there was no room.
    @discardableResult
    func send(_ event: EncodedEvent, of subscription: Subscription) -> Bool {
        guard isOpen else { return true }
        // A reader that keeps up must not lose events because many come in one turn.
        if outbox.isEncodedFull, !transport.wantsWritable { flush() }
        let hasRoom = outbox.event(event, of: subscription)
        if !hasRoom { session.subscriptions.closeOverflowing(subscription) }
        if outbox.isHolding { awaitReader() }
        scheduleFlush()
        return hasRoom
    }

    /// Sends what the subscription has missed, as the peer takes it.
    func replay(_ subscription: Subscription) {
        replays.append(subscription)
        scheduleFlush()
    }

    private func replayNext() {
        while let ended = replays.writeNext(to: outbox, of: session.subscriptions, on: server) {
            session.subscriptions.didReplay(ended.subscription, ended.portion)
            guard ended.portion.items.isEmpty else { break }
        }
    }

    /// Sends the events of `batch` that `subscription` carries.
    ///
    /// - Parameter isLast: whether nothing more is expected in this turn: if the outbox is empty then, the events are
    ///   written to the transport at once, from one block that all connections share.
    func send(_ batch: borrowing EventBatch, of subscription: Subscription, isLast: Bool) {
        guard isOpen else { return }
        if isLast, !willFlush, outbox.isEmpty, let count = subscription.write(batch, to: server.block) {
            guard count > 0 else { return }
            let lines = UnsafeRawBufferPointer(rebasing: server.block[..<count])
            let count = transport.write(lines)
            patience.didTake(count)
            if count < lines.count {
                outbox.append(UnsafeRawBufferPointer(rebasing: lines[count...]))
                scheduleFlush()
            }
        } else {
            for event in batch.events where subscription.carries(event) {
                guard send(event, of: subscription) else { break }
            }
        }
    }

    /// Ends the holding back of work if the reader stops reading altogether.
    private func awaitReader() {
        patience.begin { [self] isReading in
            guard isOpen, outbox.isHolding else { return }
            if isReading { awaitReader() } else { giveUpReader() }
        }
    }

    /// Lets the held-back work go on; from here on the reader loses events, and a `lag` reports them.
    func giveUpReader() {
        outbox.stopHolding()
    }

    /// Ends what is subscribed, and closes once everything that waits is written.
    func finish(_ reason: EndReason = .limit) {
        guard !isFinishing else { return }
        session.subscriptions.closeAll(reason)
        isFinishing = true
        scheduleFlush()
    }

    private func scheduleFlush() {
        guard isOpen, !willFlush else { return }
        willFlush = true
        server.flushAtEndOfTurn(self)
    }

    func flush() {
        willFlush = false
        guard isOpen else { return }
        if !replays.isEmpty { replayNext() }
        let before = outbox.bytes
        let isEmpty = outbox.flush(to: transport)
        account(outbox.bytes)
        patience.didTake(max(0, before - outbox.bytes))
        guard isOpen else { return }
        if transport.wantsWritable == isEmpty { transport.wantsWritable = !isEmpty }
        if isPaused, !outbox.isFull {
            isPaused = false
            transport.resumeReading()
        }
        // The rest is written when the socket is writable again.
        if isEmpty, !replays.isEmpty { scheduleFlush() }
        let isDone = isFinishing || (isAtEnd && unanswered == 0 && session.subscriptions.isEmpty)
        if isEmpty, isDone, replays.isEmpty { transport.close() }
    }

    private func account(_ bytes: Int) {
        guard bytes != accountedBytes || outbox.isSqueezed else { return }
        outbox.isSqueezed = server.account(bytes - accountedBytes, to: peer.uid)
        accountedBytes = bytes
    }

    // MARK: The end

    /// The peer is gone, or the transport was closed by us.
    func didClose() {
        guard isOpen else { return }
        isOpen = false
        account(0)
        replays.removeAll()
        session.end()
        server.forget(self)
    }

    var queuedBytes: Int { outbox.bytes }

    /// Whether a stream of this client holds back its work now.
    var holdsWork: Bool { outbox.isHolding }
}
