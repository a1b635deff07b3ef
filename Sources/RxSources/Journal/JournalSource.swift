internal import Rx
public import RxJSON
internal import RxPlatform
public import RxStreams
internal import RxTime

// Sendable: the mutable state belongs to the queue of the journals.
/// Emits the records of the journal that match a rule, each as an object of its fields, with the time at which journald
/// received it. The daemon's own records are left out.
///
/// The first start begins after the records that exist. The position of an element is the cursor of its record; a later
/// start goes on after it, or, if the record was removed meanwhile, after where it was. The position of the first start
/// is its time, as `{"since"}` in microseconds since 1970: it is known without the journal, whose disk may be slow. The
/// source emits one batch and reads on when it is settled.
///
/// Records that are removed from the disk before the source could read them are lost. That is reported as an error with
/// their number, as far as journald's numbers show it.
///
/// `stop` does not wait for the journal. Its place is free a little later.
public final class JournalSource: StreamSource, @unchecked Sendable {
    /// The delays between attempts to open the journal: permissions and files change rarely.
    static let retry = DoublingDelay(first: .seconds(5), longest: .seconds(60))
    /// The most records of a batch: enough to be fast, few enough to be one transaction.
    static let mostRecords = 256
    /// The most bytes of a batch, after which no record is added.
    static let mostBytes = 1_048_576
    /// The most records that are read before other work of the queue has its turn.
    static let mostSteps = 1024

    private let rule: JournalRule
    private let journals: Journals
    private let run = SourceRun<ReceiverGate>()
    private let first = Locked<RawJSON?>(nil)
    private var receiver: (any SourceReceiver)?
    private var state = State.stopped
    private var place = JournalPlace.end
    private var isSettled = true
    /// Whether files may have come or gone since the journal took notice of them.
    private var hasChanged = false
    private var delay = retry
    private var waiting = WaitingReport()

    private enum State {
        case stopped
        /// All places for open journals are taken.
        case withoutPlace
        case waiting(QueueTimer)
        /// Reads, or waits until a batch is settled.
        case reading(any OpenJournal)
        /// All was read; a change is awaited.
        case idle(any OpenJournal)
    }

    /// A source of the records that match a rule.
    public init(_ rule: JournalRule, of journals: Journals) {
        self.rule = rule
        self.journals = journals
    }

    public var origin: RawJSON? { first.withLock { $0 } }

    public func start(after position: RawJSON?, into receiver: any SourceReceiver) {
        let gate = ReceiverGate(receiver)
        run.set(gate)
        let time = UInt64(clamping: journals.clock.milliseconds * 1000)
        first.withLock { $0 = position == nil ? JournalPlace.since(time).json : nil }
        journals.queue.async { [self] in
            self.receiver = GatedReceiver(gate)
            (isSettled, hasChanged) = (true, false)
            place = JournalPlace(position)
            state = .withoutPlace
            if journals.takePlace(for: self) { open() } else { waitForPlace() }
        }
    }

    public func settled(through position: RawJSON?) {
        journals.queue.async { [self] in
            isSettled = true
            read()
        }
    }

    public func stop() {
        run.take()?.close()
        journals.queue.async { [self] in
            receiver = nil
            switch state {
            case .stopped: return
            case .withoutPlace: journals.forget(self)
            case .waiting(let timer): timer.cancel()
            case .reading(let journal), .idle(let journal):
                journal.close()
                journals.givePlaceBack()
            }
            state = .stopped
        }
    }

    // MARK: Opening

    private func waitForPlace() {
        waiting.report(
            "\(Journals.most) streams read the journal, which is the most; this one begins when another stops",
            to: receiver)
    }

    /// Called when a place is free.
    func gotPlace() {
        guard case .withoutPlace = state else { return journals.givePlaceBack() }
        open()
    }

    private func open() {
        var opened: (any OpenJournal)?
        do throws(JournalFailure) {
            let journal = try journals.system.open(rule, on: journals.queue) { [weak self] in self?.changed() }
            opened = journal
            try seek(journal)
            state = .reading(journal)
            delay.reset()
            waiting.report(nil, to: receiver)
            read()
        } catch {
            opened?.close()
            fail(error)
        }
    }

    private func seek(_ journal: any OpenJournal) throws(JournalFailure) {
        switch place {
        case .end: try seekToEnd(journal)
        case .since(let microseconds): try journal.seek(since: microseconds)
        case .after(let cursor):
            do throws(JournalFailure) {
                try journal.seek(after: cursor)
            } catch .invalidCursor {
                receiver?.report(
                    error: "\(JournalFailure.invalidCursor.reason); reading begins with new records",
                    element: RawJSON(.string(cursor)))
                try seekToEnd(journal)
            }
        }
    }

    /// From now on the place is known, also if the journal fails before there is a record.
    private func seekToEnd(_ journal: any OpenJournal) throws(JournalFailure) {
        let time = UInt64(clamping: journals.clock.milliseconds * 1000)
        place = try journal.seekToEnd().map { .after($0) } ?? .since(time)
    }

    /// A source that waits for the environment needs no place.
    private func fail(_ failure: JournalFailure) {
        waiting.report(failure.reason, to: receiver)
        let timer = journals.queue.async(after: delay.next()) { [weak self] in self?.openAgain() }
        state = .waiting(timer)
        journals.givePlaceBack()
    }

    private func openAgain() {
        guard case .waiting = state else { return }
        state = .withoutPlace
        if journals.takePlace(for: self) { open() } else { waitForPlace() }
    }

    // MARK: Reading

    private func changed() {
        guard case .idle(let journal) = state else { return }
        state = .reading(journal)
        hasChanged = true
        read()
    }

    /// Takes notice of new and removed files, once all that is in the known ones was read: a file that was rotated and
    /// removed meanwhile can be read as long as it is open.
    private func update(_ journal: any OpenJournal) {
        hasChanged = false
        do throws(JournalFailure) {
            if let gap = try journal.update() { receiver?.report(error: gap.reason, element: nil) }
            read()
        } catch {
            journal.close()
            fail(error)
        }
    }

    private func read() {
        guard case .reading(let journal) = state, let receiver, isSettled else { return }
        var batch: [SourceElement] = []
        var isAtEnd = false
        var steps = 0
        do throws(JournalFailure) {
            var bytes = 0
            while steps < Self.mostSteps, batch.count < Self.mostRecords, bytes < Self.mostBytes, !isAtEnd {
                steps += 1
                switch try journal.next({ !journals.own.contain($0) }) {
                case .end: isAtEnd = true
                case .unwanted: break
                case .record(let record):
                    bytes += record.fields.utf8.count
                    batch.append(element(record))
                    place = .after(record.cursor)
                }
            }
        } catch {
            journal.close()
            fail(error)
        }
        if !batch.isEmpty {
            isSettled = false
            return receiver.receive(batch)
        }
        guard case .reading = state else { return }
        guard isAtEnd else { return journals.queue.async { [self] in read() } }
        guard !hasChanged else { return update(journal) }
        state = .idle(journal)
        journal.awaitChange()
    }

    private func element(_ record: JournalRecord) -> SourceElement {
        SourceElement(
            value: record.fields, time: Instant(microseconds: Int64(clamping: record.microseconds)),
            position: RawJSON(.string(record.cursor)))
    }
}
