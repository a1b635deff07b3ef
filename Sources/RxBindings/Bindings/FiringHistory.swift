internal import RxAction
internal import RxJSON
internal import RxRecords

/// The last firings of one `on`, and how many there were.
struct FiringHistory: Sendable {
    /// The firings that are kept, across restarts too.
    static let kept = 20

    /// The firings since the `on` exists.
    private(set) var number = 0
    /// The number of firings since the daemon started, by outcome.
    private(set) var counts: [String: Int] = [:]
    /// The newest last.
    private(set) var last: [Firing] = []
    /// Firings whose rows are out of date.
    private var dirty: Set<Int> = []

    init(stored: [String: RawJSON] = [:]) {
        last = stored.filter { $0.key.hasPrefix(Self.prefix) }.compactMap { Firing(stored: $0.value.value()) }
            .sorted { $0.number < $1.number }
        number = last.last?.number ?? 0
    }

    /// How the names of its rows begin.
    static let prefix = "firing/"

    /// The name of the row that has a firing.
    static func row(_ number: Int) -> String { prefix + "\(number % kept)" }

    mutating func append(_ firing: Firing) {
        number = firing.number
        counts[firing.word, default: 0] += 1
        last.append(firing)
        if last.count > Self.kept { last.removeFirst() }
        dirty.insert(firing.number)
    }

    /// Notes how an execution has ended.
    ///
    /// - Returns: its firings: several if inputs have joined it. None if they are known to have ended.
    mutating func noteEnd(of id: ExecutionID, _ end: String) -> [Firing] {
        let ended = last.indices.filter { last[$0].unendedExecution == id }
        for index in ended {
            last[index].end = end
            dirty.insert(last[index].number)
        }
        return ended.map { last[$0] }
    }

    /// The executions of the last firings that are not known to have ended.
    var unended: Set<ExecutionID> { Set(last.compactMap(\.unendedExecution)) }

    /// The rows that are out of date, for one transaction.
    mutating func takeRows(of owner: String) -> [StreamRow] {
        defer { dirty = [] }
        return rows(of: owner, last.filter { dirty.contains($0.number) })
    }

    /// All rows.
    func rows(of owner: String) -> [StreamRow] { rows(of: owner, last) }

    private func rows(of owner: String, _ firings: [Firing]) -> [StreamRow] {
        firings.map { StreamRow(stream: owner, name: Self.row($0.number), value: RawJSON($0.stored)) }
    }
}

extension Firing {
    /// Its execution, unless that is known to have ended.
    fileprivate var unendedExecution: ExecutionID? {
        guard end == nil, case .accepted(_, let id) = outcome else { return nil }
        return id
    }

    /// The word for the outcome.
    package var word: String {
        switch outcome {
        case .accepted(let acceptance, _): acceptance.rawValue
        case .reduced: "reduced"
        case .refused: "refused"
        case .failed: "failed"
        }
    }
}
