internal import RxJSON

/// What `why` prints of a stream: how it is, where its elements have stopped, and its last firings.
enum StreamWhy {
    static func lines(_ stream: JSONValue, at now: Int64) -> [String] {
        [state(stream, at: now)] + passage(stream, at: now) + firings(stream, at: now)
    }

    // MARK: State

    /// How a stream is, in a sentence without its source.
    static func state(_ stream: JSONValue) -> String {
        let name = stream["stream"]?.string ?? ""
        let reason = stream["reason"]?.string ?? ""
        return switch stream["state"]?.string {
        case "waiting": "\(name) waits: \(reason)"
        case "ended": "\(name) has ended"
        case "disabled": "\(name) is disabled: \(reason)"
        default: "\(name) is running"
        }
    }

    /// What the stream does now, in a sentence.
    static func state(_ stream: JSONValue, at now: Int64) -> String {
        let name = stream["stream"]?.string ?? ""
        let source = stream["source"]?.string ?? ""
        switch stream["state"]?.string {
        case "waiting": return "\(name) (\(source)) waits: \(stream["reason"]?.string ?? "")."
        case "ended": return "\(name) (\(source)) has ended."
        case "disabled": return "\(name) (\(source)) is disabled: \(stream["reason"]?.string ?? "")."
        default:
            guard let next = stream["next"]?.string else { return "\(name) (\(source)) is running." }
            return "\(name) (\(source)) is due at \(due(next, at: now))."
        }
    }

    /// `2026-03-28T13:02:01.000Z, in 3h`.
    private static func due(_ text: String, at now: Int64) -> String {
        guard let time = WireTime.milliseconds(text) else { return text }
        return "\(text), \(TimeWords.ahead(time, at: now))"
    }

    /// Why actions are disabled that the stream starts. One that is executing takes inputs again.
    static func targets(of stream: JSONValue, among actions: [JSONValue]) -> [String] {
        let targets = (stream["targets"]?.array ?? []).compactMap(\.string)
        return actions.filter { action in
            targets.contains(action.text("action")) && action["enabled"]?.bool == false
                && action["reason"]?["cause"]?.string != "executing"
        }.map { ReasonText.sentence(action: $0.text("action"), enabled: false, reason: $0["reason"]) + "." }
    }

    // MARK: Steps

    /// How far the elements have come.
    private static func passage(_ stream: JSONValue, at now: Int64) -> [String] {
        let taken = stream["taken"]?.int ?? 0
        let lost = stream["lost"]?.int ?? 0
        var lines: [String] = []
        if taken == 0 { lines.append("Its source has emitted nothing since the daemon started.") }
        if lost > 0 { lines.append("It has dropped \(elements(lost)), because more came than it may hold.") }
        if let due = stream["due"]?.string {
            lines.append("Something is due in its steps at \(self.due(due, at: now)).")
        }
        let steps = stream["steps"]?.array ?? []
        guard taken > 0, !steps.isEmpty else { return lines }
        if let step = steps.first(where: isBlocked) {
            lines.append(
                "Step \(step.text("step")), \(step.text("operator")), has let none of \(elements(of: step)) through.")
        }
        lines.append("Its elements since the daemon started:")
        let rows = [["0", "source", "\(taken) out"]] + steps.map(row)
        return lines + Table.lines(rows).map { "  " + $0 }
    }

    /// Whether a step has let nothing through, and holds nothing that may pass later.
    private static func isBlocked(_ step: JSONValue) -> Bool {
        step["taken"]?.int ?? 0 > 0 && step["emitted"]?.int == 0 && step["waiting"]?.int ?? 0 == 0
    }

    private static func elements(of step: JSONValue) -> String { elements(step["taken"]?.int ?? 0) }

    private static func elements(_ count: Int) -> String { count == 1 ? "1 element" : "\(count) elements" }

    private static func row(_ step: JSONValue) -> [String] {
        var figures = ["\(step["taken"]?.int ?? 0) in", "\(step["emitted"]?.int ?? 0) out"]
        if let waiting = step["waiting"]?.int, waiting > 0 { figures.append("\(waiting) held back") }
        if let failed = step["failed"]?.int, failed > 0 { figures.append("\(failed) failed") }
        return [step.text("step"), step.text("operator"), figures.joined(separator: ", ")]
    }

    // MARK: Firings

    private static func firings(_ stream: JSONValue, at now: Int64) -> [String] {
        guard stream["targets"]?.array?.isEmpty == false else { return [] }
        let firings = stream["firings"]?.array ?? []
        guard !firings.isEmpty else { return ["Nothing has fired yet."] }
        var lines: [String] = []
        if let counts = stream["counts"]?.object, !counts.isEmpty {
            let words = counts.map { "\($0.value.int ?? 0) \($0.key)" }.joined(separator: ", ")
            lines.append("Firings since the daemon started: \(words).")
        }
        lines.append("The last firings:")
        return lines + Table.lines(firings.reversed().map { row($0, at: now) }).map { "  " + $0 }
    }

    /// The reply of `action.describe` or `stream.describe` with a line for each firing. The streams of an action stand
    /// in place of its name.
    static func describing(_ reply: JSONValue, at now: Int64) -> JSONValue {
        guard case .object(var members) = reply, let firings = members["firings"]?.array, !firings.isEmpty else {
            return reply
        }
        let rows = firings.map { firing in
            var row = row(firing, at: now)
            if let stream = firing["stream"]?.string { row[1] = stream }
            return row
        }
        members["firings"] = .string(Table.lines(rows).joined(separator: "\n"))
        return .object(members)
    }

    /// A firing: when, what for, and its outcome.
    static func row(_ firing: JSONValue, at now: Int64) -> [String] {
        let time = firing["time"]?.string.flatMap { WireTime.milliseconds($0) } ?? now
        return [
            "\(StreamTable.rough(max(0, now - time))) ago", firing.text("target"), firing.text("outcome"),
            detail(of: firing),
        ]
    }

    private static func detail(of firing: JSONValue) -> String {
        if let message = firing["message"]?.string {
            return [firing["error"]?.string, message].compactMap { $0 }.joined(separator: ": ")
        }
        if let revision = firing["revision"]?.int { return "revision \(revision)" }
        return [firing["execution"]?.string, firing["end"]?.string ?? "has not ended"].compactMap { $0 }
            .joined(separator: " ")
    }
}
