/// Lays the lanes of ``Marbles`` out in pixels.
struct MarbleDrawing {
    private static let margin = 20
    private static let leastWidth = 480
    private static let mostLabelWidth = 190
    private static let text = 13
    private static let laneHeight = 44
    private static let forkHeight = 34
    private static let firingHeight = 30
    private static let radius = 12
    /// The teeth of a torn strip.
    private static let tooth = 5

    private enum Kind {
        case lane, firings, fork, note
    }

    private struct Row {
        var kind: Kind
        var label = ""
        var bars: [Bar] = []
        var clusters: [Cluster] = []
        /// Where the lane has ended.
        var end: Double?
        var height: Int
    }

    private let marbles: Marbles
    private let left: Int
    private let plot: Int
    private let map: TimeMap
    private var rows: [Row] = []
    private var drawing: Drawing

    init(_ marbles: Marbles, width: Int) {
        self.marbles = marbles
        let width = max(width, Self.leastWidth)
        let labels = marbles.lanes.map { TextWidth.pixels($0.name.oneLine, size: Self.text + 1, isBold: true) }
        let labelWidth = min(max(labels.max() ?? 0, 60), min(Self.mostLabelWidth, width / 4))
        left = Self.margin + labelWidth + 16 + Self.radius
        plot = width - left - Self.margin - Self.radius
        map = TimeMap(
            marbles.instants,
            TimeMap.Measures(
                width: Double(plot), distance: Double(2 * Self.radius + 6), margin: Double(Self.radius + 8),
                gapWidth: { Double(TextWidth.pixels(Figures.duration($0), size: Self.text) + 16) },
                mostGaps: max(1, plot / 120)))
        drawing = Drawing(title: "Marbles: \(marbles.title.oneLine)", description: "")
        drawing.width = width
        for lane in marbles.lanes { add(lane, labelWidth) }
        drawing = Drawing(title: drawing.title, description: summary)
        drawing.width = width
    }

    private mutating func add(_ lane: MarbleLane, _ labelWidth: Int) {
        let name = TextWidth.cut(lane.name.oneLine, to: labelWidth, size: Self.text + 1, isBold: true)
        let firings = lane.marks.filter { if case .firing = $0.kind { true } else { false } }
        let others = lane.marks.filter { if case .firing = $0.kind { false } else { true } }
        // Firings have a line of their own beneath elements; alone they lie on the lane.
        let clusters = merge(others.isEmpty ? firings : others)
        rows.append(
            Row(
                kind: .lane, label: name, bars: lane.executing, clusters: clusters,
                end: clusters.last { $0.counts.completed > 0 }?.middle, height: Self.laneHeight))
        if !firings.isEmpty && !others.isEmpty {
            rows.append(Row(kind: .firings, clusters: merge(firings), height: Self.firingHeight))
        }
        for fork in lane.forks {
            rows.append(Row(kind: .fork, bars: fork.bars, clusters: merge(fork.marks), height: Self.forkHeight))
        }
        if lane.hidden > 0 {
            rows.append(Row(kind: .note, label: "\(lane.hidden) executions more", height: 22))
        }
    }

    private func merge(_ marks: [Mark]) -> [Cluster] {
        Cluster.merge(
            marks, map, width: Double(plot), inset: Double(Self.radius), gap: 2,
            size: { mark in
                if case .lag(let count) = mark.kind {
                    Double(TextWidth.pixels(Self.lost(count), size: Self.text) + 4 * Self.tooth + 6)
                } else {
                    Double(2 * Self.radius)
                }
            },
            bandSize: { Double(TextWidth.pixels(Self.words($0), size: Self.text) + 14) })
    }

    private static func lost(_ count: Int) -> String { "\(Figures.short(Double(count))) lost" }

    /// What is in a band, each kind with its number.
    ///
    /// - Parameter most: more kinds than that are counted together, without what is lost.
    private static func words(_ counts: Cluster.Counts, most: Int = 2) -> String {
        var parts: [String] = counts.elements > 0 ? [Figures.short(Double(counts.elements))] : []
        func add(_ count: Int, _ word: String) {
            if count > 0 { parts.append("\(Figures.short(Double(count))) \(word)") }
        }
        for firing in MarbleEvent.Firing.allCases { add(counts.firings[firing] ?? 0, firing.rawValue) }
        add(counts.errors, counts.errors == 1 ? "error" : "errors")
        add(counts.ended, "done")
        add(counts.endedBadly, "failed")
        if counts.completed > 0 { parts.append("end") }
        if parts.count > most { parts = ["\(Figures.short(Double(counts.total))) events"] }
        add(counts.lost, "lost")
        return parts.joined(separator: ", ")
    }

    private var summary: String {
        var total = Cluster.Counts()
        for row in rows { for cluster in row.clusters { total.add(cluster.counts) } }
        let elements = "\(total.elements) element\(total.elements == 1 ? "" : "s")"
        total.elements = 0
        let rest = Self.words(total, most: .max)
        return "\(marbles.heading). \(marbles.lanes.count) lanes: \(elements)\(rest.isEmpty ? "" : ", ")\(rest)"
    }

    mutating func draw() -> Drawing {
        var y = Self.margin + 14
        let title = TextWidth.cut(
            marbles.heading, to: drawing.width - 2 * Self.margin, size: Self.text + 2, isBold: true)
        drawing.add(Drawing.Label(text: title, x: Self.margin, y: y, size: Self.text + 2, isBold: true))
        let gapLine = y + 28
        let tickLine = map.gaps.isEmpty ? gapLine : gapLine + 20
        y = tickLine
        y += 10
        let top = y
        let bottom = top + rows.reduce(0) { $0 + $1.height }
        drawAxis(gapLine: gapLine, tickLine: tickLine, top: top, bottom: bottom)
        let letters = Letters(rows.flatMap(\.clusters).compactMap(\.single))
        for row in rows {
            draw(row, top: y, letters)
            y += row.height
        }
        drawGaps(top: top, bottom: bottom)
        for (row, place) in zip(rows, places(top)) { drawMarks(row, top: place, letters) }
        y = bottom + 12
        if marbles.omittedLanes > 0 {
            y += 20
            drawing.add(
                Drawing.Label(
                    text: "\(marbles.omittedLanes) lanes left out", x: Self.margin, y: y, size: Self.text,
                    style: "warn"))
        }
        y = MarbleKey(rows.flatMap(\.clusters).map(\.counts), hasBars: rows.contains { !$0.bars.isEmpty })
            .draw(on: &drawing, x: Self.margin, y: y + 10, width: drawing.width - 2 * Self.margin)
        y = MarbleLegend(letters: letters, offset: marbles.offset)
            .draw(on: &drawing, x: Self.margin, y: y, width: drawing.width - 2 * Self.margin)
        drawing.height = y + Self.margin
        return drawing
    }

    private func places(_ top: Int) -> [Int] {
        var places = [top]
        for row in rows { places.append(places[places.count - 1] + row.height) }
        return places
    }

    private func x(_ place: Double) -> Int { left + Int(place.rounded()) }

    private mutating func drawAxis(gapLine: Int, tickLine: Int, top: Int, bottom: Int) {
        let axis = Axis(map, width: Double(plot), offset: marbles.offset) {
            Double(TextWidth.pixels($0, size: Self.text) + 14)
        }
        for tick in axis.ticks {
            drawing.add(
                .path(
                    Path(Point(x: x(tick.place), y: tickLine - 10), Point(x: x(tick.place), y: bottom)), style: "guide")
            )
            drawing.add(
                Drawing.Label(text: tick.text, x: x(tick.place) + 4, y: tickLine, size: Self.text, style: "dim"))
        }
        for gap in map.gaps {
            drawing.add(
                Drawing.Label(
                    text: Figures.duration(gap.duration), x: x((gap.start + gap.end) / 2), y: gapLine, size: Self.text,
                    anchor: .middle, style: "dim"))
        }
    }

    /// Collapsed time: a strip without lanes between two zigzags.
    private mutating func drawGaps(top: Int, bottom: Int) {
        for gap in map.gaps {
            let middle = x((gap.start + gap.end) / 2)
            drawing.add(
                .box(Box(x: middle - 5, y: top, width: 10, height: bottom - top), radius: 0, style: "idle"))
            for side in [middle - 5, middle + 5] {
                var path = Path(Point(x: side, y: top))
                var y = top
                var turn = 1
                while y < bottom {
                    y = min(y + 6, bottom)
                    path.line(to: Point(x: side + 3 * turn, y: y))
                    turn = -turn
                }
                drawing.add(.path(path, style: "zigzag"))
            }
        }
    }

    private mutating func draw(_ row: Row, top: Int, _ letters: Letters) {
        let middle = top + row.height / 2
        switch row.kind {
        case .lane:
            drawing.add(
                Drawing.Label(text: row.label, x: Self.margin, y: middle + 5, size: Self.text + 1, isBold: true))
            let end = row.end.map { x($0) } ?? left + plot + Self.radius
            drawing.add(.path(Path(Point(x: left - Self.radius, y: middle), Point(x: end, y: middle)), style: "lane"))
        case .note:
            drawing.add(Drawing.Label(text: row.label, x: left, y: middle + 5, size: Self.text, style: "dim"))
        case .firings, .fork: break
        }
        for bar in row.bars {
            let start = bar.start.map { x(map.place($0)) } ?? left - Self.radius
            let end = max(bar.end.map { x(map.place($0)) } ?? left + plot + Self.radius, start + 4)
            if row.kind == .fork && bar.start != nil {
                let above = Point(x: start, y: top - 10)
                drawing.add(.path(Path(above, Point(x: start, y: middle)), style: "fork"))
            }
            drawing.add(
                .box(Box(x: start, y: middle - 7, width: end - start, height: 14), radius: 4, style: "executing"))
        }
    }

    private mutating func drawMarks(_ row: Row, top: Int, _ letters: Letters) {
        let middle = top + row.height / 2
        for cluster in row.clusters {
            guard let mark = cluster.single else {
                let box = Box(
                    x: x(cluster.left), y: middle - Self.radius, width: Int((cluster.right - cluster.left).rounded()),
                    height: 2 * Self.radius)
                drawing.add(.box(box, radius: 6, style: "band"))
                drawing.add(
                    Drawing.Label(
                        text: Self.words(cluster.counts), x: box.x + box.width / 2, y: middle + 5, size: Self.text,
                        anchor: .middle))
                continue
            }
            let center = Point(x: x(cluster.middle), y: middle)
            switch mark.kind {
            case .lag(let count):
                let box = Box(
                    x: x(cluster.left) + Self.tooth, y: middle - 16,
                    width: Int((cluster.right - cluster.left).rounded()) - 2 * Self.tooth, height: 32)
                drawing.add(.polygon(torn(box), style: "torn"))
                drawing.add(
                    Drawing.Label(
                        text: Self.lost(count), x: box.x + box.width / 2, y: middle + 5, size: Self.text,
                        anchor: .middle, style: "warn"))
            case .element:
                MarbleShape.draw(mark.kind, at: center, on: &drawing)
                drawing.add(
                    Drawing.Label(
                        text: letters.letter(mark), x: center.x, y: middle + 5, size: Self.text + 1, anchor: .middle))
            case .error, .completed, .firing, .ended:
                MarbleShape.draw(mark.kind, at: center, on: &drawing)
            }
        }
    }

    /// A strip with teeth on both sides.
    private func torn(_ box: Box) -> [Point] {
        var right: [Point] = []
        var left: [Point] = []
        let steps = 4
        for step in 0...steps {
            let y = box.y + box.height * step / steps
            let out = step.isMultiple(of: 2) ? 0 : Self.tooth
            right.append(Point(x: box.right - out, y: y))
            left.append(Point(x: box.x + Self.tooth - out, y: y))
        }
        return right + left.reversed()
    }
}
