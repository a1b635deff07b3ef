internal import Glibc
internal import RxJSON

/// The list of streams for people.
enum StreamTable {
    /// - Parameters:
    ///   - reply: that of `stream.list`; with `graph`, it has why actions are disabled.
    ///   - now: in milliseconds since 1970.
    static func lines(
        of reply: JSONValue, at now: Int64, width: Int, isColored: Bool = TextColor.isShown
    ) -> [String] {
        var table = Table(
            [
                TableColumn("STREAM", least: 12, showsEmpty: true),
                TableColumn("STATE", least: 12, showsEmpty: true),
                TableColumn("NEXT", .optional(3)),
                TableColumn("LAST", .optional(2)),
                TableColumn("STARTS", .optional(1), least: 10),
            ], isColored: isColored)
        let disabled = disabledActions(reply)
        let rows = (reply["streams"]?.array ?? []).map { stream in
            [
                TableCell(stream.text("stream")), state(stream),
                TableCell(
                    stream["next"]?.string.flatMap { WireTime.milliseconds($0) }
                        .map { TimeWords.ahead($0, at: now) } ?? ""),
                stream["last"].map { last($0, at: now) } ?? "", starts(stream, disabled),
            ]
        }
        return table.lines(rows, width: width)
    }

    private static func state(_ stream: JSONValue) -> TableCell {
        let mark = StateSymbol.stream(stream.text("state"))
        return mark.cell(stream["reason"]?.string.map { "\(mark.word): \($0)" })
    }

    /// `started 5m ago`.
    private static func last(_ firing: JSONValue, at now: Int64) -> TableCell {
        let word = firing["end"]?.string ?? firing["outcome"]?.string ?? ""
        let style: TextColor? = ["failed", "refused", "timedOut", "interrupted"].contains(word) ? .red : nil
        guard let time = firing["time"]?.string.flatMap({ WireTime.milliseconds($0) }) else {
            return TableCell(word, style)
        }
        return TableCell("\(word) \(TimeWords.ago(time, at: now))", style)
    }

    /// The targets, with the causes for which actions among them are disabled.
    private static func starts(_ stream: JSONValue, _ disabled: [String: String]) -> TableCell {
        let targets = (stream["targets"]?.array ?? []).compactMap(\.string)
        let words = targets.map { name in disabled[name].map { "\(name) (disabled: \($0))" } ?? name }
        return TableCell(words.joined(separator: " "), targets.contains { disabled[$0] != nil } ? .yellow : nil)
    }

    /// The causes by the names of the actions. An action that is executing takes inputs again.
    private static func disabledActions(_ reply: JSONValue) -> [String: String] {
        var causes: [String: String] = [:]
        for action in reply["actions"]?.array ?? [] where action["enabled"]?.bool == false {
            let cause = action["reason"]?["cause"]?.string ?? ""
            if cause != "executing" { causes[action.text("action")] = cause }
        }
        return causes
    }

    /// The largest unit of a duration.
    static func rough(_ milliseconds: Int64) -> String { TimeWords.rough(milliseconds) }

    /// Milliseconds since 1970.
    static var now: Int64 {
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        return Int64(now.tv_sec) * 1000 + Int64(now.tv_nsec) / 1_000_000
    }
}
