internal import RxJSON

/// Execution records for people, page by page.
struct HistoryTable {
    private var table: Table

    init(isColored: Bool = TextColor.isShown) {
        table = Table(
            [
                TableColumn("TIME", .optional(3), showsEmpty: true),
                TableColumn("ACTION", least: 10, showsEmpty: true),
                TableColumn("EXECUTION", brief: "ID", showsEmpty: true),
                TableColumn("STATE", brief: "", showsEmpty: true),
                TableColumn("TOOK", .optional(2), alignsRight: true),
                TableColumn("BY", .optional(1), least: 8),
                TableColumn("ELEMENTS", .extra, alignsRight: true),
                TableColumn("INPUT", least: 10),
                TableColumn("ERROR", least: 10),
            ], isColored: isColored)
    }

    /// The lines of further records, with a headline above the first ones.
    ///
    /// - Parameters:
    ///   - now: in milliseconds since 1970.
    ///   - width: the cells of a line.
    mutating func lines(_ records: [JSONValue], at now: Int64, width: Int) -> [String] {
        table.lines(records.map { Self.row($0, at: now) }, width: width)
    }

    private static func row(_ record: JSONValue, at now: Int64) -> [TableCell] {
        let record = ExecutionFacts(record)
        return [
            TableCell(record.time(at: now), .dim), TableCell(record.action), TableCell(ShortID.of(record.id), .dim),
            record.mark.cell(), TableCell(record.took(at: now)), TableCell(record.requester),
            TableCell(record.elements), TableCell(record.input), TableCell(record.error, .red),
        ]
    }
}
