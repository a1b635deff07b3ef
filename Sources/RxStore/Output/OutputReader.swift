internal import RxAction
internal import RxRecords

/// Reads the output of executions. Used from one queue.
final class OutputReader {
    private let ofOne: Statement

    init(_ database: Database) throws(StoreError) {
        ofOne = try Statement(
            "SELECT stream, half, first, last, count, bytes, data FROM output WHERE execution = ?1", database)
    }

    /// What is kept of the output of an execution; nil if nothing is.
    func read(of id: ExecutionID) throws(StoreError) -> KeptOutput? {
        ofOne.bind(1, id)
        defer { ofOne.reset() }
        var halves: [String: [Int: KeptHalf]] = [:]
        var missing = 0
        var counts: [String: (count: Int, bytes: Int)] = [:]
        while try ofOne.step() {
            let stream = ofOne.text(0)
            let half = Int(ofOne.integer(1))
            halves[stream, default: [:]][half] = Self.half(ofOne, data: 6, first: 2, last: 3)
            let count = Int(clamping: ofOne.unsigned(4))
            if half == 0 {
                counts[stream] = (count, Int(clamping: ofOne.unsigned(5)))
            } else if stream == "elements" {
                missing = count
            }
        }
        guard !counts.isEmpty else { return nil }
        let elements = counts["elements"].map { count in
            KeptElements(
                count: count.count, bytes: count.bytes, missing: missing, head: halves["elements"]?[0] ?? KeptHalf(),
                tail: halves["elements"]?[1])
        }
        let errors = counts["stderr"].map { count in
            KeptErrors(bytes: count.bytes, head: halves["stderr"]?[0] ?? KeptHalf(), tail: halves["stderr"]?[1])
        }
        return KeptOutput(elements: elements ?? KeptElements(), errors: errors ?? KeptErrors())
    }

    static func half(_ row: Statement, data: Int32, first: Int32, last: Int32) -> KeptHalf {
        var numbers: ClosedRange<UInt64>?
        if let first = row.unsignedOrNil(first), let last = row.unsignedOrNil(last), first <= last {
            numbers = first...last
        }
        return KeptHalf(row.blob(data), numbers: numbers)
    }
}
