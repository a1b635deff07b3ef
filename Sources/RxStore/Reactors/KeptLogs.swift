/// The extents of all stored logs, and the bytes that they may have together.
///
/// Changes belong to a transaction: `commit` or `rollBack` follows them.
struct KeptLogs {
    private var logs: [String: KeptLog]
    /// The logs that the open transaction has changed, as they were before; nil for those that did not exist.
    private var before: [String: KeptLog?] = [:]
    /// The logs that may be beyond their bounds.
    private var candidates: Set<String>
    /// The bytes of all logs.
    private(set) var bytes: Int
    /// The most bytes of all logs.
    var mostBytes: Int
    /// Whether all reactors that are configured have begun.
    var isComplete = false

    init(_ logs: [String: KeptLog], mostBytes: Int) {
        self.logs = logs
        self.mostBytes = mostBytes
        candidates = Set(logs.keys)
        bytes = logs.values.reduce(0) { $0 + $1.bytes }
    }

    var names: [String] { logs.keys.sorted() }

    subscript(reactor: String) -> KeptLog? {
        get { logs[reactor] }
        set {
            if before[reactor] == nil { before.updateValue(logs[reactor], forKey: reactor) }
            set(reactor, newValue)
        }
    }

    private mutating func set(_ reactor: String, _ log: KeptLog?) {
        bytes += (log?.bytes ?? 0) - (logs[reactor]?.bytes ?? 0)
        logs[reactor] = log
        candidates.insert(reactor)
    }

    mutating func commit() { before.removeAll(keepingCapacity: true) }

    mutating func rollBack() {
        for (reactor, log) in before { set(reactor, log) }
        commit()
    }

    /// The next part that is beyond a bound, first of one log, then of all.
    ///
    /// If all logs together have too many bytes, the one with the most gives way, so that a reactor with large steps
    /// cannot push out the histories of the others.
    mutating func nextSurplus() -> (reactor: String, KeptLog.Surplus)? {
        while let reactor = candidates.first {
            if let surplus = logs[reactor]?.surplus { return (reactor, surplus) }
            candidates.remove(reactor)
        }
        // Until all reactors have begun, the largest may be one of those that have not, and must stay whole.
        guard bytes > mostBytes, isComplete || !logs.values.contains(where: \.isHeld) else { return nil }
        let largest = logs.lazy.filter { $0.value.canShrink }.max { $0.value.bytes < $1.value.bytes }
        return largest.map { ($0.key, .snapshot) }
    }
}
