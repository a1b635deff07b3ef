/// Removes rows beyond the bounds of logs, a portion at a time, so that no commit waits for long.
struct LogTrimmer {
    /// How much may still be removed in a transaction. The last row may exceed it.
    struct Portion {
        var rows: Int
        var bytes: Int

        var isSpent: Bool { rows <= 0 || bytes <= 0 }
    }

    /// The most bytes that a transaction removes, unless it has written more: a few milliseconds.
    static let bytes = 4 << 20

    private let statements: ReactorStatements

    init(_ statements: ReactorStatements) { self.statements = statements }

    /// A portion for a transaction that wrote this much: logs that are full do not grow.
    static func portion(rows: Int = 0, bytes: Int = 0) -> Portion {
        Portion(rows: max(rows, Trimmer.portion), bytes: max(2 * bytes, Self.bytes))
    }

    /// Removes at most a portion, within a transaction.
    func trim(_ logs: inout KeptLogs, _ portion: Portion) throws(StoreError) {
        var portion = portion
        while !portion.isSpent, let (reactor, surplus) = logs.nextSurplus(), var log = logs[reactor] {
            let removed: (rows: Int, bytes: Int)
            switch surplus {
            case .snapshot:
                removed = (1, try statements.removeSnapshot(log.oldestSnapshot, of: reactor))
                log.snapshots.removeFirst()
            case .steps(let revision):
                removed = try statements.removeSteps(through: revision, of: reactor, portion)
                log.oldestStep = try statements.oldestStep(of: reactor)
            }
            portion.rows -= max(removed.rows, 1)
            portion.bytes -= removed.bytes
            log.bytes = max(log.bytes - removed.bytes, 0)
            logs[reactor] = log
        }
    }
}
