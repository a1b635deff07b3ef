internal import JSONRPC
internal import RxHost
internal import RxJSON
internal import RxLoop
internal import RxProtocol

/// The writing side of a connection: answers and events, in their order, written at the end of the turn.
///
/// It closes the connection once nothing more is to be written to it.
final class ConnectionOutput {
    /// Most requests that may wait for their answers.
    static let unansweredTolerated = 1024
    /// Requests of each connection that may wait whatever else the account keeps.
    static let unansweredFree = 4
    /// The memory of one of them, approximately.
    static let bytesOfUnanswered = 1536

    /// What the client has subscribed to.
    @exclusivity(unchecked) private(set) var subscriptions: OpenSubscriptions!
    /// Whether the client has more than one subscription.
    @exclusivity(unchecked) var hasSeveralSubscriptions = false
    private let context: ServerContext
    let account: Account
    private let transport: any Transport
    private let outbox: Outbox
    private let patience: ReaderPatience
    /// Requests that wait for their answer.
    @exclusivity(unchecked) private var unanswered = 0
    /// The answers that batches have collected, in bytes.
    @exclusivity(unchecked) private var collectedBytes = 0
    @exclusivity(unchecked) private var catchUps: CatchUps!
    /// The long states that are to be sent.
    @exclusivity(unchecked) private(set) var states: LongStates!
    /// The memory of what waits for the peer, as its user's account has it, in bytes.
    @exclusivity(unchecked) private var accountedBytes = 0
    @exclusivity(unchecked) private var willFlush = false
    /// Whether no requests are received until the peer has read some of the answers.
    @exclusivity(unchecked) private var isInputFull = false
    /// Requests in progress that the next one has to wait for.
    @exclusivity(unchecked) private var inputPauses = 0
    @exclusivity(unchecked) private var isInputAtEnd = false
    /// Lines with requests that later turns carry out.
    @exclusivity(unchecked) private var linesInProgress = 0
    /// Whether the connection is closed once everything that waits is written.
    @exclusivity(unchecked) private(set) var isFinishing = false
    @exclusivity(unchecked) private(set) var isOpen = true
    /// Whether somebody may read what is written: long answers need not be made for a peer that is gone.
    @exclusivity(unchecked) private(set) var hasReader = true

    /// Called when no request is in progress any more that the next one has to wait for.
    var whenResumed: (() -> Void)?

    /// - Parameter table: takes the client's subscriptions while they are open.
    init(_ transport: any Transport, to client: Client, _ table: SubscriptionTable, of context: ServerContext) {
        self.transport = transport
        self.context = context
        account = client.account
        patience = ReaderPatience(context.patience, on: context.loop)
        outbox = Outbox(
            limit: context.limits.outboxBytes, account: account, spares: context.spares, dropped: context.dropped)
        subscriptions = OpenSubscriptions(on: self, client, table, of: context)
        catchUps = CatchUps(to: self, outbox, account, of: context)
        states = LongStates(to: self, outbox, account, of: context)
    }

    /// The memory of what the peer has not taken, in bytes.
    var queuedBytes: Int { outbox.bytes }

    /// Whether a stream of this client holds back its work now.
    var holdsWork: Bool { outbox.isHolding }

    // MARK: Answers

    /// Whether one more request may wait for its answer on this connection.
    var mayExpectAnswer: Bool { unanswered < Self.unansweredTolerated }

    /// Why no more request may wait for its answer; nil if one may.
    var refusalOfUnanswered: RPCError? {
        guard mayExpectAnswer else { return .limitReached("unanswered", Self.unansweredTolerated) }
        // Whatever the user's other connections wait for, one must be able to cancel it.
        guard unanswered >= Self.unansweredFree else { return nil }
        return refusal(ofKeeping: Self.bytesOfUnanswered)
    }

    /// Why the account may not keep so many more bytes; nil if it may.
    func refusal(ofKeeping bytes: Int) -> RPCError? {
        account.mayKeep(bytes) ? nil : .limitReached("bytesPerUid", context.limits.bytesPerUid)
    }

    /// A request has come that `answer` will answer.
    func expectAnswer() {
        guard isOpen else { return }
        unanswered += 1
        account.keep(Self.bytesOfUnanswered)
    }

    private func answered() {
        unanswered -= 1
        account.keep(-Self.bytesOfUnanswered)
    }

    /// A batch has collected answers of so many bytes, or has given them to `answer`.
    func collect(_ bytes: Int) {
        guard isOpen else { return }
        collectedBytes += bytes
        account.keep(bytes)
    }

    /// Writes the answer to a request that was expected.
    func answer(_ body: (inout JSONWriter) -> Void) {
        guard isOpen else { return }
        answered()
        reply(body)
    }

    /// Writes the answer to a request that was expected when there is room for it.
    ///
    /// - Parameter bytes: about how long it is.
    func answer(bytes: Int, later body: @escaping (inout JSONWriter) -> Void) {
        guard isOpen else { return }
        answered()
        outbox.reply(bytes: bytes, later: body)
        scheduleFlush()
    }

    /// Writes the answer to a request that was expected, with texts in it that other connections may send too.
    func answer(_ line: SplitText) {
        guard isOpen else { return }
        answered()
        outbox.reply(line)
        scheduleFlush()
    }

    /// Writes the answers to a batch, which was expected: a line in pieces. They are not copied if they are long.
    func answer(line: [[UInt8]]) {
        if line.count == 1, line[0].count < SharedText.least {
            return answer { $0.bytes.append(contentsOf: line[0].dropLast()) }
        }
        answer(SplitText(frame: Array(repeating: [], count: line.count + 1), texts: line))
    }

    /// Writes a message that nothing has waited for.
    func reply(_ body: (inout JSONWriter) -> Void) {
        outbox.reply(body)
        scheduleFlush()
    }

    // MARK: Events

    /// - Returns: whether the subscription goes on; if not, it has ended because there was no room.
    @discardableResult
    func send(_ event: EncodedEvent, of subscription: Subscription) -> Bool {
        guard isOpen else { return true }
        guard event.whole == nil else { return send(state: event, of: subscription) }
        return append(event, of: subscription)
    }

    /// Sends a state, as a patch or as a whole.
    private func send(state event: EncodedEvent, of subscription: Subscription) -> Bool {
        guard let level = event.level else { return append(event, of: subscription) }
        let isWaiting = states.isWaiting(level, of: subscription)
        // A patch is of no use after a state that is not sent, and a long one needs room like a state.
        let isUseless = isWaiting || subscription.lane.place(of: level) != nil
        let isTooLong = event.tail.count >= SharedText.least && account.isOverLimit
        let event = isUseless || isTooLong ? event.asWhole : event
        guard isWaiting || states.takes(event) else { return append(event, of: subscription) }
        outbox.drop(level, of: subscription)
        states.send(event, of: subscription)
        scheduleFlush()
        return true
    }

    /// Appends an event to what waits for the peer.
    ///
    /// - Returns: whether the subscription goes on; if not, it has ended because there was no room.
    @discardableResult
    func append(_ event: EncodedEvent, of subscription: Subscription) -> Bool {
        // A reader that keeps up must not lose events because many come in one turn.
        if outbox.isEncodedFull, !transport.wantsWritable { write() }
        let hasRoom = outbox.event(event, of: subscription)
        if !hasRoom { subscriptions.closeOverflowing(subscription, before: event.cursor) }
        if outbox.isHolding { awaitReader() }
        // The user's other connections must see what is left.
        if event.waitingBytes >= SharedText.least { charge() }
        scheduleFlush()
        return hasRoom
    }

    /// Sends the events of `batch` that `subscription` carries.
    ///
    /// - Parameter isLast: whether nothing more is expected in this turn: if the outbox is empty then, and the client
    ///   has no other subscription, which might carry the events too, they are written to the transport at once, from
    ///   one block that all connections share.
    func send(_ batch: borrowing EventBatch, of subscription: Subscription, isLast: Bool) {
        guard isOpen else { return }
        if isLast, !willFlush, outbox.isEmpty, !hasSeveralSubscriptions,
            let count = subscription.write(batch, to: context.block)
        {
            guard count > 0 else { return }
            let lines = UnsafeRawBufferPointer(rebasing: context.block[..<count])
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

    /// Sends what the subscription has missed, as the peer takes it.
    func catchUp(_ subscription: Subscription) {
        catchUps.append(subscription)
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

    // MARK: Writing

    private func scheduleFlush() {
        guard isOpen, !willFlush else { return }
        willFlush = true
        context.loop.appendToEndOfTurn(self)
    }

    /// Writes what the peer takes now, and closes the connection if nothing more is to be written.
    func flush() {
        willFlush = false
        write()
        guard isOpen, outbox.isEmpty, catchUps.isEmpty else { return }
        let isDone = isInputAtEnd && unanswered == 0 && inputPauses == 0 && subscriptions.isEmpty
        if isFinishing && linesInProgress == 0 || isDone { transport.close() }
    }

    private func write() {
        guard isOpen else { return }
        patience.didTake(outbox.flush(to: transport))
        account(outbox.memory)
        guard isOpen else { return }
        let isEmpty = outbox.isEmpty
        if transport.wantsWritable == isEmpty { transport.wantsWritable = !isEmpty }
        if isInputFull, !outbox.isFull {
            isInputFull = false
            if inputPauses == 0 { transport.resumeReading() }
        }
        // The rest is written when the socket is writable again.
        if isEmpty { catchUps.goOn() }
        states.goOn()
    }

    /// Charges the account with what waits now, rather than at the end of the turn.
    func charge() {
        if isOpen { account(outbox.memory) }
    }

    /// Drops what waits and what comes: the peer is gone, although work for it is in progress.
    func discard() {
        hasReader = false
        outbox.discard()
        charge()
        scheduleFlush()
    }

    private func account(_ bytes: Int) {
        guard bytes != accountedBytes else { return }
        account.addOutbound(bytes - accountedBytes)
        if bytes < accountedBytes { context.memory.freed(accountedBytes - bytes) }
        accountedBytes = bytes
    }

    /// Receives no more requests until the peer has read some of the answers, if too much waits for it.
    func pauseInputIfFull() {
        guard outbox.isFull, !isInputFull else { return }
        isInputFull = true
        if inputPauses == 0 { transport.pauseReading() }
    }

    /// Receives no more requests until `resumeInput` was called as often as this.
    func pauseInput() {
        inputPauses += 1
        if inputPauses == 1, !isInputFull { transport.pauseReading() }
    }

    /// Whether a request is in progress that the next one has to wait for.
    var isWorking: Bool { inputPauses > 0 }

    /// Takes back one `pauseInput`.
    func resumeInput() {
        inputPauses -= 1
        if inputPauses == 0 { whenResumed?() }
        guard isOpen, inputPauses == 0 else { return }
        // The transport is paused still.
        if outbox.isFull { isInputFull = true }
        // Writing notices a peer that is gone.
        if isInputFull || isInputAtEnd { scheduleFlush() }
        if !isInputFull { transport.resumeReading() }
    }

    // MARK: The end

    /// No more requests will come: the connection is closed once everything is answered and no subscription is open.
    func inputEnded() {
        isInputAtEnd = true
        scheduleFlush()
    }

    /// A line is carried out in more than one turn: the connection is not closed before `endLine`.
    func beginLine() { linesInProgress += 1 }

    func endLine() {
        linesInProgress -= 1
        scheduleFlush()
    }

    /// Closes the connection once everything that waits is written.
    func finish() {
        isFinishing = true
        scheduleFlush()
    }

    /// Drops what waits: the connection is closed.
    func didClose() {
        isOpen = false
        hasReader = false
        account(0)
        account.keep(-unanswered * Self.bytesOfUnanswered - collectedBytes)
        catchUps.removeAll()
        states.removeAll()
    }
}

extension ConnectionOutput: TurnEnd {
    func turnEnded() { flush() }
}

extension ConnectionOutput: IdleWork {
    func workWhenIdle() {
        catchUps.write()
        flush()
    }
}
