internal import RxJSON

/// What `why` prints of an action besides whether it is enabled: its disabled streams, how much waits, its next times,
/// and its last firings.
enum ActionWhy {
    /// The disabled ones of the streams that start an action, each with its reason.
    static func disabledStreams(of action: String, among streams: [JSONValue], at now: Int64) -> [String] {
        streams.filter { stream in
            stream.text("state") == "disabled" && (stream["targets"]?.array ?? []).contains(.string(action))
        }.map { StreamWhy.state($0, at: now) }
    }

    static func lines(_ action: JSONValue, at now: Int64) -> [String] {
        var lines: [String] = []
        if let queued = action["queued"]?.int, queued > 0 {
            lines.append("\(queued) \(queued == 1 ? "input waits" : "inputs wait") in its queue.")
        }
        if let first = action["upcoming"]?.array?.first, let time = first["time"]?.string {
            let left = WireTime.milliseconds(time).map { ", \(TimeWords.ahead($0, at: now))" } ?? ""
            lines.append("Its next time is \(time)\(left): \(reason(first))")
        }
        let firings = action["firings"]?.array ?? []
        guard !firings.isEmpty else { return lines }
        lines.append("The last firings:")
        let rows = firings.reversed().map { firing in
            var row = StreamWhy.row(firing, at: now)
            // All of them are for this action.
            row[1] = firing["stream"]?.string ?? ""
            return row
        }
        return lines + Table.lines(rows).map { "  " + $0 }
    }

    private static func reason(_ upcoming: JSONValue) -> String {
        if let stream = upcoming["stream"]?.string { return "a slot of the stream \(stream)" }
        return "execution \(upcoming["execution"]?.string ?? ""), requested for that time"
    }
}
