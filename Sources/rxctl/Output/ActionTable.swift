internal import RxJSON

/// The list of actions for people.
struct ActionTable {
    private let actions: [JSONValue]
    /// The records of what is executing, by the names of their actions, the oldest first.
    private let executing: [String: [JSONValue]]

    /// - Parameters:
    ///   - actions: the reply to `action.list`.
    ///   - executions: the records of what is executing.
    init(_ actions: [JSONValue], executing executions: [JSONValue]) {
        self.actions = actions
        executing = Dictionary(grouping: executions) { $0["action"]?.string ?? "" }
    }

    /// - Parameter now: in milliseconds since 1970.
    func lines(at now: Int64, width: Int, isColored: Bool = TextColor.isShown) -> [String] {
        var table = Table(
            [
                TableColumn("ACTION", least: 12, showsEmpty: true),
                TableColumn("STATE", least: 12, showsEmpty: true),
                TableColumn("NEXT", .optional(3)),
                TableColumn("IN FLIGHT", .optional(2), alignsRight: true),
                TableColumn("QUEUED", .optional(2), alignsRight: true),
                TableColumn("OVERLAP", .extra),
                TableColumn("BY", .extra),
                TableColumn("KIND", .extra),
                TableColumn("DESCRIPTION", .optional(1), least: 10),
            ], isColored: isColored)
        return table.lines(actions.map { row($0, at: now) }, width: width)
    }

    private func row(_ action: JSONValue, at now: Int64) -> [TableCell] {
        let next = action["next"]?.string.flatMap(WireTime.milliseconds)
        return [
            TableCell(action.text("action")), state(of: action, at: now),
            TableCell(next.map { TimeWords.ahead($0, at: now) } ?? ""), TableCell(busy(action)),
            TableCell(action["queued"]?.int.flatMap { $0 > 0 ? String($0) : nil } ?? ""),
            TableCell(action.text("overlap")), TableCell(action["by"]?.string ?? ""), TableCell(action.text("kind")),
            TableCell(action.text("description")),
        ]
    }

    /// Whether it is executing, and for how long; otherwise whether it is enabled, with the reason if it is not.
    private func state(of action: JSONValue, at now: Int64) -> TableCell {
        let cause = action["reason"]?["cause"]?.string
        // The reason that a person or the configuration gives is more specific than the kind of the cause.
        let words = action["reason"]?["reason"]?.string ?? action["reason"]?["message"]?.string ?? cause ?? ""
        if action["executing"]?.bool == true {
            let start = (oldest(of: action) ?? action["reason"]?["since"]?.string).flatMap(WireTime.milliseconds)
            let time = start.map { " for \(TimeWords.span(max(0, now - $0)))" } ?? ""
            let isOff = cause != nil && cause != "executing"
            return StateSymbol.executing.cell("executing\(time)" + (isOff ? ", then disabled: \(words)" : ""))
        }
        guard action["enabled"]?.bool == false else { return StateSymbol.enabled.cell() }
        return StateSymbol.disabled.cell("disabled: \(words)")
    }

    /// How many are in flight, of how many that may be.
    private func busy(_ action: JSONValue) -> String {
        let inFlight =
            executing[action.text("action")]?.count ?? action["reason"]?["inFlight"]?.int
            ?? (action["executing"]?.bool == true ? 1 : 0)
        if let most = action["parallel"]?.int, most > 1 { return "\(inFlight) of \(most)" }
        return inFlight > 0 ? "\(inFlight)" : ""
    }

    private func oldest(of action: JSONValue) -> String? {
        executing[action.text("action")]?.compactMap { $0["startedAt"]?.string }.min()
    }
}
