extension Marbles {
    /// The picture for a terminal: one line per lane and per line of executions beneath it, then a legend.
    ///
    /// - Parameter width: the columns of the terminal; at least 40.
    public func text(width: Int = 80) -> String {
        MarbleText(self, width: max(width, MarbleText.leastWidth)).write()
    }
}

/// Writes the lanes in columns of a terminal.
private struct MarbleText {
    static let leastWidth = 40
    /// More kinds in a band are counted together.
    private static let mostParts = 3

    private struct Row {
        var label: String
        var fill: Character
        var bars: [Bar]
        var isFork: Bool
        var clusters: [Cluster]
    }

    private let marbles: Marbles
    private let width: Int
    private let labelWidth: Int
    private let plot: Int
    private let map: TimeMap
    private var rows: [Row] = []

    init(_ marbles: Marbles, width: Int) {
        self.marbles = marbles
        self.width = width
        let labels = marbles.lanes.map { $0.name.oneLine.columns } + [8]
        labelWidth = min(labels.max() ?? 8, width / 4)
        // The last column stays empty: a terminal may wrap after it.
        plot = width - labelWidth - 3
        map = TimeMap(
            marbles.instants,
            TimeMap.Measures(
                width: Double(plot - 1), distance: 3, margin: 3,
                gapWidth: { Double(Self.gapText($0).columns) }, mostGaps: max(1, plot / 14)))
        for lane in marbles.lanes {
            rows.append(
                Row(
                    label: lane.name.oneLine.cut(columns: labelWidth), fill: "─", bars: lane.executing, isFork: false,
                    clusters: merge(lane.marks)))
            for fork in lane.forks {
                rows.append(Row(label: "", fill: " ", bars: fork.bars, isFork: true, clusters: merge(fork.marks)))
            }
            if lane.hidden > 0 {
                rows.append(
                    Row(
                        label: "  +\(lane.hidden) executions".cut(columns: labelWidth), fill: " ", bars: [],
                        isFork: true, clusters: []))
            }
        }
    }

    private func merge(_ marks: [Mark]) -> [Cluster] {
        Cluster.merge(
            marks, map, width: Double(plot - 1), inset: 0.5, gap: 0,
            size: { mark in
                if case .lag(let count) = mark.kind { Double(Self.lagText(count).columns) } else { 1 }
            },
            bandSize: { Double(Self.bandText($0).columns + 2) })
    }

    func write() -> String {
        let singles = rows.flatMap(\.clusters).compactMap(\.single)
        let letters = Letters(singles)
        var lines = [marbles.heading.cut(columns: width - 1), axis()]
        for row in rows { lines.append(line(row, letters)) }
        if marbles.omittedLanes > 0 { lines.append("(\(marbles.omittedLanes) lanes left out)") }
        lines += legend(letters)
        return lines.map(\.trimmedEnd).joined(separator: "\n") + "\n"
    }

    private func axis() -> String {
        let axis = Axis(map, width: Double(plot), offset: marbles.offset) { Double($0.columns + 2) }
        var text = ""
        for tick in axis.ticks {
            let place = Int(tick.place)
            guard place >= text.columns else { continue }
            text = text.padded(columns: place) + "╷" + tick.text
        }
        return String(repeating: " ", count: labelWidth + 2) + text
    }

    private func line(_ row: Row, _ letters: Letters) -> String {
        var cells = Array(repeating: row.fill, count: plot)
        func put(_ text: String, at start: Int) {
            for (index, character) in text.enumerated() where cells.indices.contains(start + index) {
                cells[start + index] = character
            }
        }
        func column(_ place: Double) -> Int { min(max(Int(place), 0), plot - 1) }
        for bar in row.bars {
            let start = bar.start.map { column(map.place($0)) } ?? 0
            let end = bar.end.map { column(map.place($0)) } ?? plot - 1
            for cell in start...max(start, end) { cells[cell] = row.isFork ? "━" : "═" }
            if row.isFork && bar.start != nil { cells[start] = "╰" }
        }
        if let completed = row.clusters.last(where: { $0.single?.kind == .completed }) {
            let end = column(completed.left + 0.5)
            for cell in end..<plot { cells[cell] = " " }
        }
        for gap in map.gaps where row.fill != " " || !row.bars.isEmpty {
            let start = column(gap.start)
            // On a fork, only a bar that goes on has something to collapse.
            if row.isFork && cells[start] != "━" || cells[start] == " " { continue }
            put(Self.gapText(gap.duration), at: start)
        }
        for cluster in row.clusters {
            let start = Int(cluster.left + 0.5)
            if let mark = cluster.single {
                put(text(mark, letters), at: start)
            } else {
                let room = Int((cluster.right - cluster.left).rounded()) - 2
                put("[" + center(Self.bandText(cluster.counts), room) + "]", at: start)
            }
        }
        return row.label.padded(columns: labelWidth) + "  " + String(cells)
    }

    private func center(_ text: String, _ width: Int) -> String {
        let room = max(0, width - text.columns)
        return String(repeating: "▒", count: room / 2) + text + String(repeating: "▒", count: room - room / 2)
    }

    private func text(_ mark: Mark, _ letters: Letters) -> String {
        switch mark.kind {
        case .element: letters.letter(mark)
        case .lag(let count): Self.lagText(count)
        case .error, .completed, .firing, .ended: Self.symbol(mark.kind)
        }
    }

    private static func symbol(_ kind: Mark.Kind) -> String {
        switch kind {
        case .element: Letters.other
        case .error: "#"
        case .completed: "┤"
        case .lag: "≈"
        case .firing(.started): ">"
        case .firing(.queued): "+"
        case .firing(.joined): "&"
        case .firing(.reduced): "*"
        case .firing(.refused): "!"
        case .firing(.failed): "%"
        case .ended(let isGood): isGood ? "✓" : "✗"
        }
    }

    private static func gapText(_ duration: Int64) -> String { "//\(Figures.duration(duration))//" }

    private static func lagText(_ count: Int) -> String { "≈\(Figures.short(Double(count)))≈" }

    /// What is in a band: the number of elements, then each other symbol with its count.
    private static func bandText(_ counts: Cluster.Counts) -> String {
        var parts: [String] = counts.elements > 0 ? [Figures.short(Double(counts.elements))] : []
        func add(_ count: Int, _ kind: Mark.Kind) {
            if count > 0 { parts.append("\(symbol(kind))\(count == 1 ? "" : Figures.short(Double(count)))") }
        }
        for firing in MarbleEvent.Firing.allCases { add(counts.firings[firing] ?? 0, .firing(firing)) }
        add(counts.errors, .error)
        add(counts.ended, .ended(isGood: true))
        add(counts.endedBadly, .ended(isGood: false))
        if counts.completed > 0 { parts.append("┤") }
        if parts.count > mostParts { parts = ["\(Figures.short(Double(counts.total))) events"] }
        if counts.lost > 0 { parts.append(lagText(counts.lost)) }
        return parts.joined(separator: " ")
    }

    private func legend(_ letters: Letters) -> [String] {
        var lines: [String] = []
        let days = Set(letters.rows.map { LocalTime($0.time, offset: marbles.offset($0.time)).date })
        for row in letters.rows {
            let local = LocalTime(row.time, offset: marbles.offset(row.time))
            let time = days.count <= 1 ? local.fineClock : "\(local.date) \(local.fineClock)"
            lines.append(
                "  \(row.kind == .element ? row.symbol : Self.symbol(row.kind))  \(time)  \(row.text)".cut(
                    columns: width - 1))
        }
        if letters.omitted > 0 { lines.append("  …  \(letters.omitted) more") }
        let key = key()
        guard !lines.isEmpty || !key.isEmpty else { return [] }
        var wrapped: [String] = []
        for word in key {
            if let last = wrapped.last, last.columns + 3 + word.columns < width {
                wrapped[wrapped.count - 1] = last + "   " + word
            } else {
                wrapped.append("  " + word)
            }
        }
        return [""] + lines + (lines.isEmpty || key.isEmpty ? [] : [""]) + wrapped
    }

    /// The meaning of each symbol that occurs.
    private func key() -> [String] {
        var total = Cluster.Counts()
        for row in rows { for cluster in row.clusters { total.add(cluster.counts) } }
        var words: [String] = []
        for firing in MarbleEvent.Firing.allCases where total.firings[firing] != nil {
            words.append("\(Self.symbol(.firing(firing))) \(firing.rawValue)")
        }
        if total.errors > 0 { words.append("# error") }
        if total.ended > 0 { words.append("✓ execution succeeded") }
        if total.endedBadly > 0 { words.append("✗ execution failed") }
        if total.lost > 0 { words.append("≈n≈ n events lost") }
        if total.completed > 0 { words.append("┤ ended") }
        if !map.gaps.isEmpty { words.append("//t// idle for t") }
        if rows.contains(where: { $0.isFork && !$0.bars.isEmpty }) { words.append("╰━ execution") }
        if rows.contains(where: { !$0.isFork && !$0.bars.isEmpty }) { words.append("═ executing") }
        if rows.contains(where: { $0.clusters.contains { $0.single == nil } }) { words.append("[n] n at once") }
        return words
    }
}
