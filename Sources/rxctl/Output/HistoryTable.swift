internal import RxJSON

/// Execution records for people on a terminal.
enum HistoryTable {
    static func lines(_ records: [JSONValue]) -> [String] {
        Table.lines(
            [["TIME", "EXECUTION", "STATE", "DURATION", "BY", "ELEMENTS", "ERROR"]] + records.map(row))
    }

    private static func row(_ record: JSONValue) -> [String] {
        [
            (record["startedAt"]?.string ?? record["queuedAt"]?.string ?? ""),
            record["execution"]?.string ?? "",
            record["state"]?.string ?? "",
            duration(record) ?? "",
            record["by"].map { Requester(by: $0).short } ?? "",
            record["elements"]?.int.map(String.init) ?? "",
            firstLine(record["error"]?["message"]?.string ?? ""),
        ]
    }

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
