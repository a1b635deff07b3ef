internal import RxAction
internal import RxRecords

/// Writes the output of executions. Used from one queue, within transactions.
final class OutputStatements {
    private let isInFlight: Statement
    private let put: Statement
    private let removeTail: Statement
    private let remove: Statement

    init(_ database: Database) throws(StoreError) {
        isInFlight = try Statement("SELECT 1 FROM pending WHERE id = ?1", database)
        put = try Statement(
            """
            INSERT OR REPLACE INTO output(execution, stream, half, first, last, count, bytes, data)
            VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
            """, database)
        removeTail = try Statement("DELETE FROM output WHERE execution = ?1 AND stream = ?2 AND half = 1", database)
        remove = try Statement("DELETE FROM output WHERE execution = ?1", database)
    }

    /// Removes what is kept of the execution's output.
    func forget(_ id: ExecutionID) throws(StoreError) {
        remove.bind(1, id)
        try remove.run()
    }

    /// Replaces what is kept of the output of an execution in flight. Once it has ended, nothing happens: its end has
    /// brought everything, and may have passed an earlier output on the way here. So no row is without a record.
    func put(ofInFlight id: ExecutionID, _ output: () -> KeptOutput?) throws(StoreError) {
        isInFlight.bind(1, id)
        let exists = try isInFlight.step()
        isInFlight.reset()
        if exists, let output = output() { try put(output, of: id) }
    }

    /// Replaces what is kept of the execution's output.
    func put(_ output: KeptOutput, of id: ExecutionID) throws(StoreError) {
        put.bind(1, id)
        removeTail.bind(1, id)
        let elements = output.elements
        if elements.count > 0 {
            try put(
                "elements", elements.head, elements.tail, all: (elements.count, elements.bytes),
                missing: elements.missing)
        }
        let errors = output.errors
        if errors.bytes > 0 { try put("stderr", errors.head, errors.tail, all: (0, errors.bytes), missing: 0) }
    }

    private func put(
        _ stream: String, _ head: KeptHalf, _ tail: KeptHalf?, all: (count: Int, bytes: Int), missing: Int
    ) throws(StoreError) {
        put.bind(2, stream)
        for (number, half) in [head, tail].enumerated() {
            guard let half else {
                removeTail.bind(2, stream)
                try removeTail.run()
                continue
            }
            put.bind(3, Int64(number))
            put.bind(4, half.numbers.map { Int64(clamping: $0.lowerBound) })
            put.bind(5, half.numbers.map { Int64(clamping: $0.upperBound) })
            put.bind(6, Int64(number == 0 ? all.count : missing))
            put.bind(7, Int64(number == 0 ? all.bytes : 0))
            put.bind(8, blob: half.data)
            try put.run()
        }
    }
}
