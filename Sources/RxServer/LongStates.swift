internal import Rx
internal import RxHost
internal import RxLoop

/// The long states that one connection is to receive as a whole, each as an event, once its text is written on a thread
/// of `RequestWorkers` and the account has room for it. Used on the loop.
///
/// Of each reactor's states a subscription gets the newest alone. Other events of the subscription may come before, so
/// the event has the cursor of the last of them: whoever resumes there has the state, or a newer one, in the snapshot.
final class LongStates {
    private struct Key: Hashable {
        let subscription: ObjectIdentifier
        let level: EncodedEvent.Level
    }

    private struct Entry {
        let key: Key
        let subscription: Subscription
        let event: EncodedEvent
        let whole: WholeLevel
    }

    // Unsafe because checked references cost too much here; the output owns its states.
    private unowned(unsafe) let output: ConnectionOutput
    private let outbox: Outbox
    private let account: Account
    private let context: ServerContext
    @exclusivity(unchecked) private var waiting: [Key: Entry] = [:]
    /// What waits, in its order, and keys that wait no longer; each key once.
    private var order = Queue<Key>()
    private var ordered: Set<Key> = []
    /// The one whose text is being written.
    @exclusivity(unchecked) private var making: Key?

    init(to output: ConnectionOutput, _ outbox: Outbox, _ account: Account, of context: ServerContext) {
        self.output = output
        self.outbox = outbox
        self.account = account
        self.context = context
    }

    /// Whether none waits or is being written.
    var isIdle: Bool { waiting.isEmpty && making == nil }

    /// Entries of the order, for tests.
    var orderCount: Int { order.count }

    /// Whether a state waits that a patch of the next one would overtake.
    func isWaiting(_ level: EncodedEvent.Level, of subscription: Subscription) -> Bool {
        guard !isIdle else { return false }
        let key = Key(subscription: ObjectIdentifier(subscription), level: level)
        return making == key || waiting[key] != nil
    }

    /// Whether the state is sent by this object.
    func takes(_ event: EncodedEvent) -> Bool {
        guard event.tail.isEmpty, let whole = event.whole else { return false }
        return context.stateTexts.isLong(whole.levels, of: whole.reactor)
    }

    /// Sends a state, instead of an earlier one that still waits.
    func send(_ event: EncodedEvent, of subscription: Subscription) {
        guard let level = event.level, let whole = event.whole else { return }
        let key = Key(subscription: ObjectIdentifier(subscription), level: level)
        wait(Entry(key: key, subscription: subscription, event: event, whole: whole))
        goOn()
    }

    private func wait(_ entry: Entry) {
        waiting[entry.key] = entry
        enqueue(entry.key)
    }

    private func enqueue(_ key: Key) {
        if ordered.insert(key).inserted { order.append(key) }
    }

    /// The peer may have read something, or a subscription may have caught up.
    func goOn() {
        guard !waiting.isEmpty, making == nil, output.isOpen, !outbox.isFull, let next = takeNext() else { return }
        making = next.key
        let (texts, levels, reactor) = (context.stateTexts, next.whole.levels, next.whole.reactor)
        if let bytes = texts.lengthKept(of: levels, of: reactor) { return makeWhenRoom(next, bytes) }
        run {
            texts.length(of: levels, of: reactor)
        } then: { states, bytes in
            states.makeWhenRoom(next, bytes)
        }
    }

    func removeAll() {
        waiting = [:]
        order = Queue()
        ordered = []
    }

    /// Takes the first that may be sent now: not before what its subscription has missed.
    private func takeNext() -> Entry? {
        for _ in 0..<order.count {
            guard let key = order.removeFirst() else { break }
            ordered.remove(key)
            guard let entry = waiting[key] else { continue }
            if entry.subscription.position != nil {
                enqueue(key)
                continue
            }
            waiting[key] = nil
            if output.subscriptions.contains(entry.subscription) { return entry }
        }
        return nil
    }

    /// The newest state for the subscription of an entry that was taken.
    private func newest(_ entry: Entry) -> Entry { waiting.removeValue(forKey: entry.key) ?? entry }

    private func makeWhenRoom(_ entry: Entry, _ bytes: Int) {
        let answers = account.longAnswers
        answers.whenRoom(bytes) { [output, self] in
            let room = AnswerRoom(bytes, of: answers) { [output, context] bytes in
                output.charge()
                context.memory.freed(bytes)
            }
            guard output.hasReader else { return end(room) }
            let next = newest(entry)
            let (texts, levels, reactor) = (context.stateTexts, next.whole.levels, next.whole.reactor)
            run {
                texts.text(of: levels, of: reactor)
            } then: { states, text in
                states.didMake(text, next, room)
            }
        } refuse: { [output, self] in
            // It waits on, as long as the user reads nothing.
            withExtendedLifetime(output) {
                putBack(entry)
                making = nil
                goOn()
            }
        }
    }

    private func putBack(_ entry: Entry) {
        if waiting[entry.key] == nil { wait(entry) }
    }

    private func didMake(_ text: [UInt8], _ entry: Entry, _ room: AnswerRoom) {
        context.forgetStateTexts()
        let subscription = entry.subscription
        guard output.isOpen, output.subscriptions.contains(subscription) else { return end(room) }
        guard room.extend(to: text.count) else {
            makeWhenRoom(entry, text.count)
            return room.end()
        }
        if subscription.position == nil {
            let cursor = subscription.reached(context.reached)
            output.append(entry.event.made(of: text, cursor: cursor), of: subscription)
        } else {
            putBack(entry)
        }
        end(room)
    }

    private func end(_ room: AnswerRoom) {
        room.end()
        making = nil
        goOn()
    }

    /// Runs `work` on a thread of `RequestWorkers`, and then `body`, with its result, on the loop.
    private func run<Value: Sendable>(
        _ work: @escaping @Sendable () -> Value, then body: @escaping (LongStates, Value) -> Void
    ) {
        // The output owns this.
        let this = LoopConfined((states: self, output: output, body: body))
        context.workers.run(for: account.uid) { [loop = context.loop, share = account.share] in
            let value = work()
            loop.execute(in: share) {
                withExtendedLifetime(this.value.output) { this.value.body(this.value.states, value) }
            }
        }
    }
}
