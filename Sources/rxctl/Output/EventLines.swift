internal import RxClient
internal import RxJSON
internal import RxProtocol
internal import RxTerminal

/// The records of a subscription for people: `14:02:31  deploy  elements  0c3f9a77  "build"`, a line each.
struct EventLines {
    private var table: Table

    /// - Parameters:
    ///   - names: those in the command.
    ///   - channels: those in the command, or none for the usual ones.
    init(names: [String], channels: [Channel], isColored: Bool = TextColor.isShown) {
        table = Table(
            [
                TableColumn("", .optional(2)), TableColumn("", least: 8), TableColumn(""),
                TableColumn("", .optional(1)), TableColumn("", least: 12),
            ], hasHeadline: false, isColored: isColored)
        let names = names.filter { ExecutionArgument.id($0) == nil }
        let channels = channels.isEmpty ? [.elements, .errors, .executing, .enabled] : channels
        // Rows that are never printed, so that the first line has the columns of the next ones.
        let rows: [[TableCell]] = (names.isEmpty ? [""] : names).flatMap { name in
            channels.map { channel in
                ["00:00:00", TableCell(name), TableCell(channel.rawValue), "00000000", "000000000000"] as [TableCell]
            }
        }
        _ = table.lines(rows, width: TerminalWidth.standard)
    }

    /// - Parameter record: an event as the daemon sent it, or another record of a subscription.
    mutating func line(_ record: RawJSON, width: Int) -> String {
        let record = record.value()
        let channel = record.text("channel")
        let time = record["time"]?.string.flatMap(WireTime.milliseconds)
        let name = ["action", "reactor", "stream"].lazy.compactMap { record[$0]?.string }.first ?? ""
        let row = [
            TableCell(time.map(TimeWords.ofDay) ?? "", .dim), TableCell(name), TableCell(channel, .dim),
            TableCell(record["execution"]?.string.map(ShortID.of) ?? "", .dim), Self.value(record, of: channel),
        ]
        return table.lines([row], width: width).first ?? ""
    }

    // MARK: Values

    private static func value(_ record: JSONValue, of channel: String) -> TableCell {
        let value = record["value"] ?? .null
        switch channel {
        case "errors":
            let message = record["error"]?["message"]?.string ?? json(value)
            return TableCell("✕ \(message)", .red)
        case "executing":
            return value.bool == true ? Mark.executing.cell() : TableCell("○ idle", .dim)
        case "enabled":
            guard value["enabled"]?.bool == false else { return Mark.enabled.cell() }
            return TableCell("✕ \(value["reason"].map(ReasonText.cause) ?? "disabled")", .yellow)
        case "executions":
            return execution(value)
        case "lag":
            let count = value["dropped"]?.int.map { $0 == 1 ? "1 event was" : "\($0) events were" }
            return TableCell("? \(count ?? "events may have been") lost", .red)
        case "end":
            return TableCell("■ \(value["reason"]?.string ?? "")", .dim)
        case "reconnect":
            let isResumed = record["resumed"]?.bool == true
            return TableCell(isResumed ? "✓ nothing is missing" : "? events may be missing", isResumed ? .green : .red)
        default:
            return TableCell(json(record["patch"] ?? value))
        }
    }

    /// `✓ completed 1.2s`, `✕ failed 3m: the process exited with 3`
    private static func execution(_ record: JSONValue) -> TableCell {
        let facts = ExecutionFacts(record)
        // Only an end has a duration; the present is not in the record.
        let took = record["endedAt"]?.string == nil ? "" : " \(facts.took(at: 0))"
        let detail = facts.error.isEmpty ? facts.input : facts.error
        return facts.mark.cell(facts.mark.word + took + (detail.isEmpty ? "" : ": \(detail)"))
    }

    private static func json(_ value: JSONValue) -> String { RawJSON(value).text }
}
