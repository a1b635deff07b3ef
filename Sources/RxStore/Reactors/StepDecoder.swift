internal import RxRecords
internal import RxJSON

/// Decodes steps and snapshots from rows. Nil is a row that no version of this program has written.
final class StepDecoder {
    /// The columns of `steps` that `step` reads, in its order.
    static let columns = "revision, time, cause, origin, action, mutation, patch, start"
    /// The columns that `step` reads of a file of schema version 1, in its order.
    static let columnsOfVersion1 = "revision, time, cause, origin, action, mutation, patch, NULL"
    /// The columns that may be long.
    static let largeColumns: ClosedRange<Int32> = 4...6

    let path: String
    private let rows = RowDecoder()
    /// The origin of the previous row, which is mostly that of the next too.
    private var latest: (text: [UInt8], origin: Origin)?

    init(path: String) { self.path = path }

    func step(_ row: Statement) -> KeptStep? {
        let (revision, time) = (row.unsigned(0), row.integer(1))
        guard row.isNull(2) else {
            return KeptStep.Cause(rawValue: row.text(2)).map {
                KeptStep(revision: revision, time: time, .replaced($0))
            }
        }
        guard let mutation = rows.json(row, 5), let patch = rows.json(row, 6) else { return nil }
        var reduction = KeptStep.Reduction(by: nil, action: nil, mutation: mutation, patch: patch)
        reduction.start = row.unsignedOrNil(7)
        if !row.isNull(3) {
            guard let by = origin(row, 3) else { return nil }
            reduction.by = by
        }
        if !row.isNull(4) {
            guard let action = rows.json(row, 4) else { return nil }
            reduction.action = action
        }
        return KeptStep(revision: revision, time: time, .reduced(reduction))
    }

    /// Decodes only the patch of a step.
    func patch(_ row: Statement) throws -> JSONPatch {
        try JSONPatch(rows.value(row, 6) ?? .null)
    }

    private func origin(_ row: Statement, _ column: Int32) -> Origin? {
        if let latest, row.equals(column, latest.text) { return latest.origin }
        guard let origin = rows.origin(row, column) else { return nil }
        latest = (row.bytes(column), origin)
        return origin
    }

    func snapshot(_ row: Statement) -> KeptSnapshot? {
        guard let state = rows.json(row, 3) else { return nil }
        return KeptSnapshot(
            revision: row.unsigned(0), time: row.integer(1), fingerprint: row.text(2), state: state)
    }

    func damage(_ reactor: String, _ what: String) -> StoreError {
        .damaged(path: path, message: "reactor \(reactor): \(what)")
    }
}
