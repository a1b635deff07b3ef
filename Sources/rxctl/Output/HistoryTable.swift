internal import RxJSON

/// Execution records for people on a terminal, page by page.
struct HistoryTable {
    /// Whether the records may be of several actions.
    private let showsActions: Bool
    private var widths: [Int] = []
    private var hasHeadline = false

    init(showsActions: Bool) { self.showsActions = showsActions }

    /// The lines of further records, with the headline above the first ones.
    mutating func lines(_ records: [JSONValue]) -> [String] {
        let headline = hasHeadline ? [] : [columns.map(\.name)]
        hasHeadline = true
        return Table.lines(headline + records.map { record in columns.map { $0.cell(record) } }, &widths)
    }

    private var columns: [(name: String, cell: (JSONValue) -> String)] {
        let action = showsActions ? [(name: "ACTION", cell: { Self.text($0, "action") })] : []
        return [
            ("TIME", { $0["startedAt"]?.string ?? $0["at"]?.string ?? Self.text($0, "queuedAt") })
        ] + action + [
            ("EXECUTION", { Self.text($0, "execution") }),
            ("STATE", { Self.text($0, "state") }),
            ("DURATION", { Self.duration($0) ?? "" }),
            ("BY", { $0["by"].map { Requester(by: $0).short } ?? "" }),
            ("ELEMENTS", { $0["elements"]?.int.map(String.init) ?? "" }),
            ("ERROR", { Self.firstLine($0["error"]?["message"]?.string ?? "") }),
        ]
    }

    private static func text(_ record: JSONValue, _ field: String) -> String { record[field]?.string ?? "" }

    /// How long the work took; nil if it has not ended, or never began.
    private static func duration(_ record: JSONValue) -> String? {
        guard let started = record["startedAt"]?.string.flatMap(WireTime.milliseconds),
            let ended = record["endedAt"]?.string.flatMap(WireTime.milliseconds)
        else { return nil }
        return Duration.milliseconds(ended - started).rxText
    }

    private static func firstLine(_ text: String) -> String {
        text.split(separator: "\n", maxSplits: 1).first.map(String.init) ?? ""
    }
}
