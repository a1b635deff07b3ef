internal import RxJSON

/// The past, as the log of executions has it: what was in flight and queued at an earlier time, and what had ended.
///
/// It is a part of the log that ends when the user has begun to go back. Each step goes to the moment of the event
/// before, which is the acceptance, the start, or the end of an execution.
struct TopPast: Equatable {
    struct Record: Equatable {
        let id: String
        let action: String
        let queuedAt: Int64
        /// Nil if the work has not started, or its end has come before.
        let startedAt: Int64?
        let end: TopEnd?
    }

    /// Records in one request: an answer in a few milliseconds.
    static let page = 500
    /// More records than anyone steps through; older ones are not read.
    private static let most = 20_000

    /// Oldest first.
    private(set) var records: [Record] = []
    /// The moments of the events, oldest first.
    private(set) var times: [Int64] = []
    /// The index of the moment that is shown.
    private(set) var position = 0
    /// The id before which the log goes on; nil if it does not.
    private(set) var before: String?

    /// - Parameter page: the newest `Executions`.
    init(_ page: JSONValue) {
        add(page)
        position = times.count - 1
    }

    /// The time that is shown; nil if the log is empty.
    var time: Int64? { times.indices.contains(position) ? times[position] : nil }

    /// Whether the event that is shown is the oldest one here.
    var isAtBeginning: Bool { position <= 0 }

    /// Goes to the event before. To be called unless `isAtBeginning`.
    mutating func goBack() { position = max(0, position - 1) }

    /// Goes to the event after.
    ///
    /// - Returns: false if there is none: what follows is the present.
    mutating func goForward() -> Bool {
        guard position + 1 < times.count else { return false }
        position += 1
        return true
    }

    /// Adds older records, and goes to the event before the one that is shown.
    mutating func addOlder(_ page: JSONValue) {
        let shown = time
        add(page)
        position = max(0, (times.firstIndex { $0 == shown } ?? 1) - 1)
    }

    private mutating func add(_ page: JSONValue) {
        let older = (page["executions"]?.array ?? []).compactMap { record -> Record? in
            guard let queuedAt = WireTime.milliseconds(record.text("queuedAt")) else { return nil }
            return Record(
                id: record.text("execution"), action: record.text("action"), queuedAt: queuedAt,
                startedAt: WireTime.milliseconds(record.text("startedAt")), end: TopEnd(record))
        }
        records = older + records
        before = records.count < Self.most ? page["before"]?.string : nil
        var moments: Set<Int64> = []
        for record in records {
            moments.insert(record.queuedAt)
            if let time = record.startedAt { moments.insert(time) }
            if let time = record.end?.end { moments.insert(time) }
        }
        times = moments.sorted()
    }

    /// The items as they were. What the log of executions does not have is unknown.
    func items(_ present: [TopItem]) -> [TopItem] {
        guard let time else { return present }
        var byAction: [String: [Record]] = [:]
        for record in records where record.queuedAt <= time { byAction[record.action, default: []].append(record) }
        return present.map { item in
            var past = TopItem(item.kind, item.name, .unknown)
            past.targets = item.targets
            guard item.kind == .action else { return past }
            let records = byAction[item.name] ?? []
            let open = records.filter { $0.end.map { $0.end > time } ?? true }
            past.since = open.compactMap(\.startedAt).filter { $0 <= time }
            past.inFlight = past.since.count
            past.queued = open.count - past.since.count
            if !past.since.isEmpty { past.level = .executing }
            let ended = records.compactMap(\.end).filter { $0.end <= time }.sorted { $0.end < $1.end }
            past.ends = Array(ended.suffix(TopEnd.most))
            return past
        }
    }

    /// The execution of an action that had started last.
    func lastStarted(of action: String) -> String? {
        guard let time else { return nil }
        return records.last { $0.action == action && $0.startedAt.map { $0 <= time } ?? false }?.id
    }
}
