public import Rx
public import RxTime
public import Dispatch
public import FoundationEssentials

/// The clock of one stream. It moves when an element comes, to the element's time, and when something is due; what is
/// due meanwhile happens first. So the operators of time count from the times of the elements, however late a busy
/// machine processes them, and a test decides what time it is.
// Unchecked: a stream's clock belongs to the stream's turn, and one turn runs at a time.
public final class StreamClock: SchedulerType, @unchecked Sendable {
    /// The time now.
    public private(set) var instant: Instant
    private var heap: [Entry] = []
    private var order: UInt64 = 0
    /// Entries of the heap that were canceled.
    private var canceled = 0
    /// Whether the stream goes on with the next element, or with the next of what is due, in the turn under way. Asked
    /// after each one.
    public var mayGoOn: () -> Bool = { true }

    /// Creates a clock that shows `instant`.
    public init(_ instant: Instant) { self.instant = instant }

    private final class Entry {
        let due: Instant
        let rank: StepRank
        let order: UInt64
        var body: (() -> Void)?

        init(_ due: Instant, _ rank: StepRank, _ order: UInt64, _ body: @escaping () -> Void) {
            self.due = due
            self.rank = rank
            self.order = order
            self.body = body
        }

        func isBefore(_ other: Entry) -> Bool {
            if due != other.due { return due < other.due }
            return rank.order(before: other.rank) ?? (order < other.order)
        }
    }

    // MARK: Running

    /// When the next body is due; nil if none is.
    public var next: Instant? {
        while let first = heap.first, first.body == nil { removeFirst() }
        return heap.first?.due
    }

    /// Moves to a time and runs what is due until then, in order. A time in the past changes nothing.
    ///
    /// - Returns: whether it has arrived; false if it must not go on, and more is due before.
    @discardableResult
    public func advance(to time: Instant) -> Bool {
        while let due = next, due <= time {
            let body = heap[0].body
            removeFirst()
            if due > instant { instant = due }
            body?()
            guard mayGoOn() else {
                guard let due = next, due <= time else { break }
                return false
            }
        }
        if time > instant { instant = time }
        return true
    }

    /// Runs `body` at a time, in a turn of the stream. The result cancels that.
    ///
    /// - Parameter rank: decides what comes first of what is due at one moment.
    func schedule(at due: Instant, _ rank: StepRank, _ body: @escaping () -> Void) -> ClockEntry {
        order += 1
        let entry = Entry(due, rank, order, body)
        heap.append(entry)
        var index = heap.count - 1
        while index > 0, entry.isBefore(heap[(index - 1) / 2]) {
            heap[index] = heap[(index - 1) / 2]
            index = (index - 1) / 2
        }
        heap[index] = entry
        return ClockEntry { [weak self, weak entry] in
            guard let entry, entry.body != nil else { return }
            entry.body = nil
            self?.noteCanceled()
        }
    }

    /// Canceled entries leave when they are due, or once they are most of the heap.
    private func noteCanceled() {
        canceled += 1
        guard canceled > 64, canceled > heap.count / 2 else { return }
        heap = heap.filter { $0.body != nil }.sorted { $0.isBefore($1) }
        canceled = 0
    }

    private func removeFirst() {
        if heap[0].body == nil { canceled = max(0, canceled - 1) }
        let last = heap.removeLast()
        guard !heap.isEmpty else { return }
        var index = 0
        while true {
            var child = 2 * index + 1
            guard child < heap.count else { break }
            if child + 1 < heap.count, heap[child + 1].isBefore(heap[child]) { child += 1 }
            guard heap[child].isBefore(last) else { break }
            heap[index] = heap[child]
            index = child
        }
        heap[index] = last
    }

    // MARK: SchedulerType

    /// The time now.
    public var now: Date { Date(timeIntervalSince1970: Double(instant.microseconds) / 1_000_000) }

    /// Runs an action now, after what is due now.
    public func schedule<State: RxSendable>(
        _ state: State, action: @escaping @Sendable (State) -> any Disposable
    ) -> any Disposable {
        schedule(state, at: instant, action)
    }

    /// Runs an action after a time.
    public func scheduleRelative<State: RxSendable>(
        _ state: State, dueTime: RxTimeInterval, action: @escaping @Sendable (State) -> any Disposable
    ) -> any Disposable {
        let delay = dueTime.microseconds
        guard let delay else { return Disposables.create() }
        return schedule(state, at: instant.adding(microseconds: max(0, delay)), action)
    }

    private func schedule<State: RxSendable>(
        _ state: State, at due: Instant, _ action: @escaping @Sendable (State) -> any Disposable
    ) -> any Disposable {
        let turn = SingleAssignmentDisposable()
        let entry = schedule(at: due, .last) { if !turn.isDisposed { turn.setDisposable(action(state)) } }
        return Disposables.create(turn, Disposables.create { entry.cancel() })
    }
}

/// Something that a clock will do.
// Unchecked: belongs to the turn, as its clock does.
final class ClockEntry: @unchecked Sendable {
    private var remove: (() -> Void)?

    init(_ remove: @escaping () -> Void) { self.remove = remove }

    func cancel() {
        remove?()
        remove = nil
    }
}

extension DispatchTimeInterval {
    /// Nil for never.
    fileprivate var microseconds: Int64? {
        switch self {
        case .seconds(let value): Int64(value) &* 1_000_000
        case .milliseconds(let value): Int64(value) &* 1_000
        case .microseconds(let value): Int64(value)
        case .nanoseconds(let value): Int64((value + 999) / 1_000)
        case .never: nil
        @unknown default: nil
        }
    }
}
