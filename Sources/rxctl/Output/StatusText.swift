internal import RxJSON
internal import RxTerminal

/// The daemon's status for people: a few lines, with what is in flight, and what does not run.
struct StatusText {
    private let status: JSONValue
    private let actions: [JSONValue]?
    private let reactors: [JSONValue]?
    private let streams: [JSONValue]?

    /// - Parameters:
    ///   - status: the reply to `server.status`.
    ///   - actions: those in the reply to `action.list`; nil if they are not known.
    ///   - reactors: those in the reply to `reactor.list`.
    ///   - streams: those in the reply to `stream.list`.
    init(_ status: JSONValue, actions: [JSONValue]?, reactors: [JSONValue]?, streams: [JSONValue]?) {
        self.status = status
        self.actions = actions
        self.reactors = reactors
        self.streams = streams
    }

    /// - Parameter now: in milliseconds since 1970.
    func lines(at now: Int64, width: Int, isColored: Bool = TextColor.isShown) -> [String] {
        var table = Table(
            [TableColumn("", .optional(1)), TableColumn("", least: 20)], hasHeadline: false, isColored: isColored)
        return table.lines(rows(at: now).map { [TableCell($0, .dim), $1] }, width: width)
    }

    private func rows(at now: Int64) -> [(String, TableCell)] {
        var rows = [("daemon", TableCell(daemon(at: now))), ("actions", actionCounts)]
        if let reactors { rows.append(("reactors", TableCell("\(reactors.count)"))) }
        if let streams { rows.append(("streams", streamCounts(streams))) }
        rows.append(("clients", TableCell(clients)))
        return rows
    }

    /// `0.9.0, pid 4242, up 3d 4h`
    private func daemon(at now: Int64) -> String {
        var parts = [status.text("version")]
        if let pid = status["pid"]?.int { parts.append("pid \(pid)") }
        if let start = status["startedAt"]?.string.flatMap(WireTime.milliseconds) {
            parts.append("up \(TimeWords.span(max(0, now - start)))")
        }
        return parts.joined(separator: ", ")
    }

    /// `12: ● 2 executing, ✕ 1 disabled, 43 executions in flight or queued`
    private var actionCounts: TableCell {
        let executing = actions?.count { $0["executing"]?.bool == true } ?? 0
        let disabled =
            actions?.count { $0["enabled"]?.bool == false && $0["reason"]?["cause"]?.string != "executing" } ?? 0
        var parts: [String] = []
        if executing > 0 { parts.append("\(StateSymbol.executing.shape) \(executing) executing") }
        if disabled > 0 { parts.append("\(StateSymbol.disabled.shape) \(disabled) disabled") }
        let inFlight = status["executions"]?.int ?? 0
        if inFlight > 0 { parts.append("\(count(inFlight, "execution")) in flight or queued") }
        return cell(status["actions"]?.int ?? 0, parts, hasFault: disabled > 0)
    }

    private func streamCounts(_ streams: [JSONValue]) -> TableCell {
        let states = ["running", "waiting", "ended", "disabled"].map { state in
            (StateSymbol.stream(state), streams.count { $0["state"]?.string == state })
        }
        let parts = states.filter { $0.1 > 0 }.map { "\($0.0.shape) \($0.1) \($0.0.word)" }
        return cell(streams.count, parts, hasFault: (states.last?.1 ?? 0) > 0)
    }

    private var clients: String {
        var parts = [
            count(status["connections"]?.int ?? 0, "connection"),
            count(status["subscriptions"]?.int ?? 0, "subscription"),
        ]
        if let bytes = status["queuedBytes"]?.int, bytes > 0 { parts.append("\(bytes) bytes to be read") }
        return parts.joined(separator: ", ")
    }

    private func cell(_ count: Int, _ parts: [String], hasFault: Bool) -> TableCell {
        TableCell(
            parts.isEmpty ? "\(count)" : "\(count): \(parts.joined(separator: ", "))", hasFault ? .yellow : nil)
    }

    private func count(_ count: Int, _ noun: String) -> String { "\(count) \(noun)\(count == 1 ? "" : "s")" }
}
