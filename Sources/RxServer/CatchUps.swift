internal import RxHost
internal import RxLoop
internal import RxProtocol

/// The subscriptions of one connection that read what they have missed, one after the other, as idle work of the loop.
final class CatchUps {
    /// What happens after a portion.
    private enum Step {
        /// A subscription has caught up.
        case ended(Subscription, CatchUpPortion)
        /// A page of the log has to be read for the subscription, which goes on meanwhile if it can.
        case read(Subscription, CatchUpRequest)
        /// There is nothing to read yet, because the log leaves events out or the disk has not taken them.
        case pause
    }

    /// How long a subscription waits when there is nothing to read yet: about as long as the disk takes.
    private static let pause = Duration.milliseconds(1)
    /// How long a subscription waits when the store refuses reads.
    private static let longPause = Duration.milliseconds(50)

    // Unsafe because checked references cost too much here; the output owns its catch-ups.
    private unowned(unsafe) let output: ConnectionOutput
    private let outbox: Outbox
    private let account: Account
    private let context: ServerContext
    @exclusivity(unchecked) private var subscriptions: [Subscription] = []
    /// Whether nothing is written before a page was read, or a pause is over.
    @exclusivity(unchecked) private var isWaiting = false
    /// Whether the loop will call `write`, by way of the output.
    @exclusivity(unchecked) private var isScheduled = false
    /// The pages of the log that have room in the account.
    private var pagesReserved = 0

    init(to output: ConnectionOutput, _ outbox: Outbox, _ account: Account, of context: ServerContext) {
        self.output = output
        self.outbox = outbox
        self.account = account
        self.context = context
    }

    var isEmpty: Bool { subscriptions.isEmpty }
    /// Whether the next portion can be written at once.
    private var isReady: Bool { !isEmpty && !isWaiting }

    func append(_ subscription: Subscription) {
        subscriptions.append(subscription)
        schedule()
    }

    func removeAll() {
        subscriptions = []
        releasePages()
    }

    /// Writes the next portion later: the peer has taken the last one.
    func goOn() {
        if isReady { schedule() }
    }

    private func schedule() {
        guard output.isOpen, !isScheduled else { return }
        isScheduled = true
        context.loop.appendToIdleWork(output)
    }

    // MARK: Portions

    /// Writes the next portion: one in a turn, so that no other connection waits for it.
    func write() {
        isScheduled = false
        guard output.isOpen, !isEmpty else { return }
        writePortion()
        releasePages()
    }

    private func writePortion() {
        while let step = writeNext() {
            switch step {
            case .ended(let subscription, let portion):
                output.subscriptions.didCatchUp(subscription, portion)
                output.states.goOn()
                guard portion.items.isEmpty else { return }
            case .read(let subscription, let request):
                read(request, for: subscription)
                guard !isReady else { return }
            case .pause:
                context.loop.schedule(after: Self.pause) { [output, self] in resume(output) }
            }
        }
    }

    /// - Returns: what follows; nil if the next portion does.
    private func writeNext() -> Step? {
        while !isWaiting, outbox.hasRoom, let subscription = subscriptions.first {
            // Nil if the subscription has ended meanwhile.
            let before = subscription.position?.cursor
            guard let portion = subscription.nextPortion(of: context.host.log) else {
                subscriptions.removeFirst()
                continue
            }
            switch portion.need {
            case .nothing, .following: break
            case .page(let request):
                isWaiting = true
                return .read(subscription, request)
            case .requested:
                isWaiting = true
                return nil
            }
            for item in portion.items { write(item, of: subscription) }
            if subscription.position == nil {
                subscriptions.removeFirst()
                return .ended(subscription, portion)
            }
            if case .following(let request) = portion.need { return .read(subscription, request) }
            guard portion.items.isEmpty, portion.cursor == before else { return nil }
            isWaiting = true
            return .pause
        }
        return nil
    }

    private func write(_ item: CatchUpPortion.Item, of subscription: Subscription) {
        switch item {
        case .event(let event):
            guard subscription.mayCarry(event.change), let encoded = context.encoder.encode(event) else { return }
            if case .state(let revision) = event.change {
                subscription.recordState(revision.number, of: event.source)
                // A short state must not come before a long one that still waits.
                let isBehind = encoded.level.map { output.states.isWaiting($0, of: subscription) } ?? false
                if isBehind || output.states.takes(encoded) { return output.states.send(encoded, of: subscription) }
            }
            outbox.writeMissed(encoded, of: subscription)
        case .encoded(let events):
            outbox.writeMissed(events, of: subscription)
        case .lost(let count, let first, let last):
            outbox.writeMissed(context.encoder.lag(dropped: count, first: first, last: last), of: subscription)
        }
    }

    /// A page was read, or will not be, or a pause is over.
    ///
    /// - Parameter output: `output`, retained by the caller; the reference here does not retain it.
    private func resume(_ output: ConnectionOutput) {
        isWaiting = false
        schedule()
    }

    // MARK: Pages

    /// Reads a page of the log when the account has room for it. The room is kept until the page is sent.
    private func read(_ request: CatchUpRequest, for subscription: Subscription) {
        let answers = account.longAnswers
        // What is read ahead waits for nothing.
        if isReady, !answers.hasRoom(for: CatchUpRequest.bytes) { return subscription.take(nil) }
        answers.whenRoom(CatchUpRequest.bytes) { [output, self] in
            pagesReserved += 1
            guard output.isOpen, let position = subscription.position else {
                return didRead(nil, for: subscription, output)
            }
            let forgotten = subscription.forgotten
            let this = LoopConfined((catchUps: self, output: output, subscription: subscription))
            context.host.log.read(
                request, of: subscription.source, subscription.channels.kinds, after: position,
                for: account.uid, encoder: context.encoder.forPages
            ) { [loop = context.loop, share = account.share] page in
                loop.execute(in: share) {
                    let (catchUps, output, subscription) = this.value
                    if page == nil { return catchUps.readLater(for: subscription, output) }
                    catchUps.didRead(subscription.forgotten == forgotten ? page : nil, for: subscription, output)
                }
            }
        } refuse: { [output, self] in
            // Requested again with the next portion: the reader waits as long as it reads nothing.
            didRead(nil, for: subscription, output)
        }
    }

    /// Too many reads wait in the store: the page is requested again.
    private func readLater(for subscription: Subscription, _ output: ConnectionOutput) {
        context.loop.schedule(after: Self.longPause) { [self] in didRead(nil, for: subscription, output) }
    }

    private func didRead(_ page: ReadPage?, for subscription: Subscription, _ output: ConnectionOutput) {
        subscription.take(page)
        releasePages()
        resume(output)
    }

    /// Gives back the room of pages that were sent, or are not wanted any more: only the first subscription has any.
    private func releasePages() {
        let held = subscriptions.first?.position?.pagesHeld ?? 0
        while pagesReserved > held {
            pagesReserved -= 1
            account.longAnswers.end(CatchUpRequest.bytes)
        }
    }
}
