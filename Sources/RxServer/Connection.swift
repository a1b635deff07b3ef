internal import JSONRPC
internal import RxHost
internal import RxJSON
internal import RxProtocol
internal import RxLoop

/// One client's connection: lines in, lines out.
// Unchecked: everything but `isOpen`'s readers on the loop runs on the event loop's thread; closures that come from
// elsewhere carry the connection only to hand it back to the loop.
final class Connection: @unchecked Sendable {
    /// Lines in a row that are not JSON before the peer is taken for something that speaks another protocol.
    static let unparsableLinesTolerated = 16
    /// Requests that may wait for their answer at a time: each costs a few hundred bytes for as long as it waits.
    static let unansweredTolerated = 1024

    let server: Server
    let peer: Peer
    private(set) var session: Session!
    /// What the socket calls, kept until it is closed; nil without a socket.
    var receiver: SocketReceiver?
    private let transport: any Transport
    private let outbox: Outbox
    /// Requests that wait for their answer.
    @exclusivity(unchecked) private var unanswered = 0
    @exclusivity(unchecked) private var unparsableLines = 0
    @exclusivity(unchecked) private var isAtEnd = false
    @exclusivity(unchecked) private var isPaused = false
    @exclusivity(unchecked) private var isFinishing = false
    @exclusivity(unchecked) private var willFlush = false
    /// Subscriptions that read what they have missed, in turn.
    private var replaying: [Subscription] = []
    /// What waits for the peer, as its user's account knows it.
    private var accountedBytes = 0
    /// Bytes the peer has taken so far.
    @exclusivity(unchecked) private var taken: UInt64 = 0
    private var isWaitingForReader = false
    @exclusivity(unchecked) private(set) var isOpen = true

    init(server: Server, transport: any Transport, peer: Peer) {
        self.server = server
        self.transport = transport
        self.peer = peer
        outbox = Outbox(limit: server.limits.outboxBytes, spares: server.spares)
        session = Session(connection: self)
    }

    // MARK: What comes in

    func receive(_ line: UnsafeRawBufferPointer) {
        guard !isFinishing else { return }
        switch server.reader.read(line) {
        case .request(let request):
            unparsableLines = 0
            handle(request)
        case .batch(let messages):
            unparsableLines = 0
            handle(messages)
        case .invalid(let id, let error):
            refuse(line, id: id, error)
        case .ignored:
            break
        case .response(let id, _):
            fail(id, RPCError(.invalidRequest, message: "the daemon asks nothing, so there is nothing to answer"))
        case .failure(let id, _):
            fail(
                id ?? .null,
                RPCError(.invalidRequest, message: "the daemon asks nothing, so there is nothing to answer"))
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
        // The way of nearly all requests, short enough to be worth its own: no more than to execute and to answer.
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
        // The batch counts as one answer on its way, whatever it holds.
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
        unparsableLines += 1
        if Connection.isHTTP(line) {
            fail(id, RPCError(.parseError, message: "this socket speaks JSON-RPC 2.0, one object per line, not HTTP"))
            finish()
        } else {
            fail(id, error)
            if unparsableLines == Connection.unparsableLinesTolerated { finish() }
        }
    }

    /// Whether a line is the first of an HTTP request: no use to answer each of its header lines.
    private static func isHTTP(_ line: UnsafeRawBufferPointer) -> Bool {
        let end = Array(" HTTP/1.".utf8)
        guard line.count > end.count + 1 else { return false }
        return line[(line.count - end.count - 1)..<(line.count - 1)].elementsEqual(end)
    }

    /// Tells the peer why it is not served, and closes.
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

    /// - Returns: whether the subscription goes on; if not, it has ended for want of room.
    @discardableResult
    func send(_ event: EncodedEvent, of subscription: Subscription) -> Bool {
        guard isOpen else { return true }
        // A reader that keeps up shall lose nothing because much comes in one turn.
        if outbox.isEncodedFull, !transport.wantsWritable { flush() }
        let hasRoom = outbox.event(event, of: subscription)
        if !hasRoom { session.kick(subscription) }
        if outbox.isHolding { waitForReader() }
        scheduleFlush()
        return hasRoom
    }

    /// From now on, as the peer takes it, what `subscription` has missed.
    func replay(_ subscription: Subscription) {
        replaying.append(subscription)
        scheduleFlush()
    }

    /// Writes the next portion of what subscriptions have missed: one in a turn, so that nobody else waits for it.
    private func replayNext() {
        while outbox.hasRoom, let subscription = replaying.first {
            guard session.subscriptions[subscription.name] === subscription,
                let portion = subscription.nextPortion(of: server.host.log)
            else {
                replaying.removeFirst()
                continue
            }
            for item in portion.items {
                switch item {
                case .event(let event):
                    guard let encoded = server.encoder.encode(event) else { continue }
                    if case .state(let revision) = event.change {
                        subscription.revisions[ObjectIdentifier(event.source)] = revision.number
                    }
                    outbox.replay(encoded, of: subscription)
                case .lost(let count, let first, let last):
                    outbox.replay(server.encoder.lag(dropped: count, first: first, last: last), of: subscription)
                }
            }
            if portion.isComplete {
                replaying.removeFirst()
                session.didReplay(subscription, portion)
            }
            // Nothing, and not complete: the log has yet to go on.
            if !portion.items.isEmpty || !portion.isComplete { break }
        }
    }

    /// Sends the events of `batch` that `subscription` carries.
    ///
    /// - Parameter isLast: whether nothing more is expected in this turn: what then finds an empty outbox is written at
    ///   once from one block for all connections, without being kept in between.
    func send(_ batch: borrowing EventBatch, of subscription: Subscription, isLast: Bool) {
        guard isOpen else { return }
        if isLast, !willFlush, outbox.isEmpty, let count = subscription.write(batch, to: server.block) {
            guard count > 0 else { return }
            let lines = UnsafeRawBufferPointer(rebasing: server.block[..<count])
            let count = transport.write(lines)
            taken &+= UInt64(count)
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

    /// Looks after a while whether a reader that holds back work has read anything since.
    private func waitForReader() {
        guard !isWaitingForReader else { return }
        isWaitingForReader = true
        let before = taken
        server.loop.schedule(after: server.patience) { [self] in
            isWaitingForReader = false
            guard isOpen, outbox.isHolding else { return }
            if taken == before { giveUpReader() } else { waitForReader() }
        }
    }

    /// What is held back goes on; the reader will be told what it lost.
    func giveUpReader() {
        outbox.stopHolding()
    }

    /// Ends what is subscribed, and closes once everything that waits is written.
    func finish(_ reason: EndReason = .limit) {
        guard !isFinishing else { return }
        for subscription in session.subscriptions.values { session.close(subscription, reason) }
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
        if !replaying.isEmpty { replayNext() }
        let before = outbox.bytes
        let isEmpty = outbox.flush(to: transport)
        account(outbox.bytes)
        taken &+= UInt64(max(0, before - outbox.bytes))
        guard isOpen else { return }
        if transport.wantsWritable == isEmpty { transport.wantsWritable = !isEmpty }
        if isPaused, !outbox.isFull {
            isPaused = false
            transport.resumeReading()
        }
        // What does not fit the socket comes when it is writable again.
        if isEmpty, !replaying.isEmpty { scheduleFlush() }
        let isDone = isFinishing || (isAtEnd && unanswered == 0 && session.subscriptions.isEmpty)
        if isEmpty, isDone, replaying.isEmpty { transport.close() }
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
        replaying = []
        session.end()
        server.forget(self)
    }

    var queuedBytes: Int { outbox.bytes }

    /// Whether a stream of this client holds back its work now.
    var holdsWork: Bool { outbox.isHolding }
}
