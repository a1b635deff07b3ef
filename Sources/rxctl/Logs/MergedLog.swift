internal import RxJSON
internal import RxProtocol

/// What the journal has, so that the daemon's records of the same executions find their places in it.
struct JournalContents {
    private var executions: [String: OfExecution] = [:]
    private var times: [Int64] = []

    private struct OfExecution {
        /// The index of its acceptance, if there is one.
        var accepted: Int?
        /// The index of its first record after that.
        var first: Int?
        var last: Int?
        var hasErrors = false
        var hasEnd = false
        var attempts: Set<Int> = []
    }

    /// The number of records.
    var count: Int { times.count }

    /// Adds the next record.
    mutating func note(_ record: LogRecord) {
        let index = count
        times.append(record.time.milliseconds)
        guard let id = record.execution, !record.isJoined else { return }
        var found = executions[id] ?? OfExecution()
        switch record.kind {
        case .accepted: found.accepted = found.accepted ?? index
        case .stderr: found.hasErrors = true
        case .end: found.hasEnd = true
        case .attempt: found.attempts.insert(record.facts["attempt"]?.int ?? 0)
        case .started, .daemon: break
        }
        if record.kind != .accepted { found.first = found.first ?? index }
        found.last = index
        executions[id] = found
    }

    /// Whether it has the end of the execution.
    func hasEnd(of execution: String) -> Bool { executions[execution]?.hasEnd ?? false }

    /// Whether it has a line of the execution's stderr.
    func hasErrors(of execution: String) -> Bool { executions[execution]?.hasErrors ?? false }

    /// Whether it has the first so many failed attempts of the execution.
    func hasAttempts(_ count: Int, of execution: String) -> Bool {
        count <= 0 || (1...count).allSatisfy { executions[execution]?.attempts.contains($0) ?? false }
    }

    /// Whether it has the same as the daemon's record.
    func has(_ record: LogRecord) -> Bool {
        guard let found = record.execution.flatMap({ executions[$0] }) else { return false }
        return switch record.kind {
        case .accepted: found.accepted != nil
        case .started, .daemon: false
        case .attempt: found.attempts.contains(record.facts["attempt"]?.int ?? 0)
        case .stderr: found.hasErrors
        case .end: found.hasEnd
        }
    }

    /// The index of the record before which the daemon's belongs. The journal has times of its own for what both know:
    /// an execution is accepted before it starts, and starts before anything else happens to it, whatever the times.
    func index(of record: LogRecord) -> Int {
        let index = indexByTime(record.time.milliseconds)
        guard let found = record.execution.flatMap({ executions[$0] }) else { return index }
        return switch record.kind {
        case .accepted: min(index, found.first ?? index)
        case .started: min(max(index, found.accepted.map { $0 + 1 } ?? 0), found.first ?? .max)
        case .attempt, .stderr, .daemon: max(index, found.accepted.map { $0 + 1 } ?? 0)
        case .end: max(index, found.last.map { $0 + 1 } ?? 0)
        }
    }

    /// The index of the first record that is not earlier.
    private func indexByTime(_ time: Int64) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if times[middle] < time { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

/// The records of the journal with those that only the daemon has, each once.
struct MergedLog {
    private let count: Int
    private let kept: [(index: Int, record: LogRecord)]
    private var taken = 0
    private var read = 0

    /// - Parameters:
    ///   - kept: the daemon's. What the journal has, too, is left out.
    ///   - journal: what the journal has by now.
    init(_ kept: [LogRecord], in journal: JournalContents) {
        count = journal.count
        let places = kept.filter { !journal.has($0) }.enumerated()
            .map { (index: journal.index(of: $0.element), offset: $0.offset, record: $0.element) }
        self.kept = places.sorted {
            ($0.index, $0.record.time.milliseconds, $0.offset) < ($1.index, $1.record.time.milliseconds, $1.offset)
        }.map { ($0.index, $0.record) }
    }

    /// The next record of the journal, from the first one on, with those of the daemon that belong before it. After
    /// the last one of those that were known come all that are left.
    mutating func records(with record: LogRecord) -> [LogRecord] {
        let before = take(through: read)
        read += 1
        return before + [record] + (read == count ? take(through: .max) : [])
    }

    private mutating func take(through index: Int) -> [LogRecord] {
        let end = kept[taken...].firstIndex { $0.index > index } ?? kept.endIndex
        defer { taken = end }
        return kept[taken..<end].map(\.record)
    }
}

extension LogRecord {
    /// Whether a request has joined an execution that was accepted before.
    var isJoined: Bool { kind == .accepted && text.hasSuffix(", joined") }
}
