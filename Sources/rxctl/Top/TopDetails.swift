internal import RxJSON
internal import RxPictures
internal import RxTerminal

/// What the selected item does: its state in words, its figures, and its marbles.
struct TopDetails {
    /// The window of the marbles, in milliseconds, unless nothing has happened in it.
    private static let window: Int64 = 60_000
    /// The newest steps of a reactor that are requested: more than the details have rows for.
    static let mostSteps = 20

    let item: TopItem
    let state: TopState
    let columns: Int
    let offset: @Sendable (Int64) -> Int

    /// What the daemon describes of the item, if it has come.
    private var details: JSONValue? { state.details.flatMap { $0.id == item.id ? $0.value : nil } }

    var lines: [StyledLine] {
        var lines: [StyledLine] = []
        if let text = details?["description"]?.string, !text.isEmpty { lines.append(StyledLine(text)) }
        let level = TopLevel(item.level)
        if state.past == nil { lines.append(StyledLine(level.full, level.style)) }
        switch item.kind {
        case .action: lines += action
        case .stream: lines += stream
        case .reactor: lines += reactor
        }
        return lines
    }

    // MARK: Actions

    private var action: [StyledLine] {
        var lines: [StyledLine] = []
        if let ends = item.ends, let last = ends.last {
            var figures: [String] = []
            for (state, word) in Self.words {
                let count = ends.count { $0.state == state }
                if count > 0 { figures.append("\(count) \(word)") }
            }
            let ago = TopFigures.duration(max(0, state.time - last.end) / 1000 * 1000)
            let newest = ago == "<1ms" ? "just now" : "\(ago.replacing(".0s", with: "s")) ago"
            let count = ends.count == 1 ? "1 end" : "\(ends.count) ends"
            lines.append(StyledLine("\(count): \(figures.joined(separator: ", ")); the newest \(newest)"))
        } else if item.ends != nil {
            lines.append(StyledLine("no execution has ended yet", .dim))
        }
        return lines + picture(marbles)
    }

    private static let words: [(TopEnd.State, String)] = [
        (.completed, "completed"), (.failed, "failed"), (.timedOut, "timed out"), (.cancelled, "cancelled"),
        (.interrupted, "interrupted"),
    ]

    private var marbles: Marbles? {
        let ends = item.ends ?? []
        guard !ends.isEmpty || !item.since.isEmpty else { return nil }
        let start = state.time - Self.window
        let isQuiet = item.since.isEmpty && ends.allSatisfy { $0.end < start }
        let from = isQuiet ? ends.compactMap { $0.start ?? $0.end }.min() ?? start : start
        var events: [MarbleEvent] = []
        for (index, end) in ends.enumerated() {
            let id = "\(index)"
            if let start = end.start { events.append(event(start, .executionStarted, id)) }
            events.append(
                event(end.end, .executionEnded, id, error: end.state == .completed ? nil : end.state.rawValue))
        }
        for (index, start) in item.since.enumerated() {
            events.append(event(start, .executionStarted, "now \(index)"))
        }
        return Marbles(
            title: item.name, events: events, lanes: [item.name], from: from, to: state.time, offset: offset)
    }

    private func event(
        _ time: Int64, _ kind: MarbleEvent.Kind, _ execution: String, error: String? = nil
    ) -> MarbleEvent {
        MarbleEvent(time: time, lane: item.name, kind: kind, execution: execution, error: error)
    }

    // MARK: Streams and reactors

    private var stream: [StyledLine] {
        guard let details else { return [] }
        let emitted = details["emitted"]?.int ?? 0
        var lines = [
            StyledLine("\(details.text("source")): \(emitted) \(emitted == 1 ? "element" : "elements")")
        ]
        let firings = (details["firings"]?.array ?? []).compactMap { WireTime.milliseconds($0.text("time")) }
            .filter { $0 <= state.time }
        guard let last = firings.max() else { return lines + [StyledLine("nothing has fired yet", .dim)] }
        let start = state.time - Self.window
        let marbles = StreamMarbles(details).marbles(
            from: last < start ? firings.min() ?? start : start, to: state.time, offset: offset)
        lines += picture(marbles)
        return lines
    }

    private var reactor: [StyledLine] {
        let steps = (details?["history"]?.array ?? []).filter { step in
            WireTime.milliseconds(step.text("time")).map { $0 <= state.time || state.past == nil } ?? false
        }
        return steps.reversed().map { step in
            let time = WireTime.milliseconds(step.text("time")) ?? 0
            let mutation = step["mutation"].map { RawJSON($0).text } ?? step.text("replaced")
            return StyledLine("\(TopFigures.clock(time, offset: offset(time))) ", .dim)
                + StyledLine("\(step["revision"]?.int ?? 0) ", .bold) + StyledLine(mutation)
        }
    }

    // MARK: Pictures

    /// The lines of a picture without its heading.
    private func picture(_ marbles: Marbles?) -> [StyledLine] {
        guard let marbles else { return [] }
        return marbles.text(width: columns).split(separator: "\n").dropFirst().enumerated().map { index, line in
            StyledLine(String(line), index == 0 ? .dim : Style(.cyan))
        }
    }
}
