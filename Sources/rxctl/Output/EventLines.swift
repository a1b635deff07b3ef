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
            TableCell(Self.execution(of: record, channel), .dim), Self.value(record, of: channel),
        ]
        return table.lines([row], width: width).first ?? ""
    }

    // MARK: Values

    /// The last characters of the execution that the event is of, or that was started.
    private static func execution(of record: JSONValue, _ channel: String) -> String {
        let id = channel == "firings" ? record["value"]?["execution"] : record["execution"]
        return id?.string.map(ShortID.of) ?? ""
    }

    private static func value(_ record: JSONValue, of channel: String) -> TableCell {
        let value = record["value"] ?? .null
        switch channel {
        case "errors":
            let message = record["error"]?["message"]?.string ?? json(value)
            return TableCell("✕ \(message)", .red)
        case "executing":
            return value.bool == true ? StateSymbol.executing.cell() : TableCell("○ idle", .dim)
        case "enabled":
            guard value["enabled"]?.bool == false else { return StateSymbol.enabled.cell() }
            return TableCell("✕ \(value["reason"].map(ReasonText.cause) ?? "disabled")", .yellow)
        case "executions":
            return execution(value)
        case "firings":
            return firing(value)
        case "lag":
            let count = value["dropped"]?.int.map { $0 == 1 ? "1 event was" : "\($0) events were" }
            return TableCell("? \(count ?? "events may have been") lost", .red)
        case "end":
            return TableCell("■ \(value["reason"]?.string ?? "")", .dim)
        case "reconnect":
            let isResumed = value["resumed"]?.bool == true
            return TableCell(isResumed ? "✓ nothing is missing" : "? events may be missing", isResumed ? .green : .red)
        default:
            return TableCell(json(record["patch"] ?? value))
        }
    }

    /// `● backup started: {"day":1}`, `✓ backup completed`, `✕ backup refused: the queue is full`
    private static func firing(_ firing: JSONValue) -> TableCell {
        let target = firing.text("target")
        if let end = firing["end"]?.string { return StateSymbol.execution(end).cell("\(target) \(end)") }
        let outcome = firing.text("outcome")
        if let message = firing["message"]?.string {
            return StateSymbol("✕", outcome, .red).cell("\(target) \(outcome): \(message)")
        }
        let mark = outcome == "queued" ? StateSymbol.execution(outcome) : StateSymbol("●", outcome, .cyan)
        return mark.cell("\(target) \(outcome)" + (firing["input"].map { ": \(json($0))" } ?? ""))
    }

    /// `● attempt 1 of 3 failed (exit 3), again in 2s`, `✓ completed 6s, attempt 3 of 3`, `✕ failed 3m: exit 3`
    private static func execution(_ record: JSONValue) -> TableCell {
        let facts = ExecutionFacts(record)
        if let attempt = FailedAttempt(RawJSON(record)) { return facts.mark.cell(attempt.text) }
        // Only an end has a duration; the present is not in the record.
        let took = record["endedAt"]?.string == nil ? "" : " \(facts.took(at: 0))"
        let detail = facts.error.isEmpty ? facts.input : facts.error
        let attempt = facts.attempt.map { ", \($0)" } ?? ""
        return facts.mark.cell(facts.mark.word + took + attempt + (detail.isEmpty ? "" : ": \(detail)"))
    }

    private static func json(_ value: JSONValue) -> String { RawJSON(value).text }
}
