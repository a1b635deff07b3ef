extension Graph {
    /// The graph as an SVG document: sources on the left, actions and reactors on the right, feedback drawn back below.
    public func svg(theme: Theme = .automatic) -> String { drawing().svg(theme) }

    func drawing() -> Drawing {
        let margin = 24
        let layout = GraphLayout(self)
        var drawing = Drawing(title: "Streams: \(title.oneLine)", description: summary)
        drawing.width = max(layout.width, 300) + 2 * margin
        drawing.height = layout.height + 2 * margin
        // Boxes lie below what is in them, which comes later.
        for index in nodes.indices where layout.isBox(index) {
            draw(index, layout, margin, &drawing)
        }
        for (index, edge) in edges.enumerated() {
            let style = edge.kind == .data ? "edge" : edge.kind.rawValue
            for path in layout.paths[index] { drawing.add(.path(path.moved(margin, margin), style: style)) }
        }
        for way in layout.ways { drawing.add(.path(way.moved(margin, margin), style: "edge")) }
        for index in nodes.indices where !layout.isBox(index) {
            draw(index, layout, margin, &drawing)
        }
        for label in layout.labels {
            var label = label
            label.x += margin
            label.y += margin
            drawing.add(label)
        }
        if omitted > 0 {
            drawing.add(
                Drawing.Label(
                    text: "\(omitted) nodes and edges left out", x: margin, y: drawing.height, size: NodeFace.small,
                    style: "warn"))
            drawing.height += margin
        }
        return drawing
    }

    private func draw(_ index: Int, _ layout: GraphLayout, _ margin: Int, _ drawing: inout Drawing) {
        let node = nodes[index]
        let box = layout.boxes[index].moved(margin, margin)
        let isBox = layout.isBox(index)
        let style = (isBox ? "group" : node.kind.rawValue) + (node.figures.isOff ? " off" : "")
        switch node.kind {
        case .source: drawing.add(.box(box, radius: 18, style: style))
        case .step: drawing.add(.box(box, radius: isBox ? 10 : 4, style: style))
        case .stream: drawing.add(.box(box, radius: 8, style: style))
        case .action: drawing.add(.polygon(box.withoutCorners(10), style: style))
        case .reactor:
            drawing.add(.box(box, radius: 8, style: style))
            let inside = Box(x: box.x + 4, y: box.y + 4, width: box.width - 8, height: box.height - 8)
            drawing.add(.box(inside, radius: 5, style: style))
        }
        layout.faces[index].draw(in: box, on: &drawing, isCentered: !isBox)
    }

    /// What a reader hears who cannot see the picture.
    private var summary: String {
        let kinds: [(GraphNode.Kind, String)] = [
            (.source, "source"), (.step, "step"), (.stream, "stream"), (.action, "action"), (.reactor, "reactor"),
        ]
        let counts = kinds.compactMap { kind, word -> String? in
            let count = nodes.count { $0.kind == kind }
            return count == 0 ? nil : "\(count) \(word)\(count == 1 ? "" : "s")"
        }
        let feedback = edges.count { $0.kind == .feedback }
        let names = nodes.filter { $0.kind == .stream || $0.kind == .action || $0.kind == .reactor }
        return (counts + (feedback == 0 ? [] : ["\(feedback) with feedback"])).joined(separator: ", ") + ". "
            + names.prefix(20).map { "\($0.kind.rawValue) \($0.label.oneLine)" }.joined(separator: ", ")
    }
}

extension Box {
    /// The box as an octagon.
    func withoutCorners(_ cut: Int) -> [Point] {
        [
            Point(x: x + cut, y: y), Point(x: right - cut, y: y), Point(x: right, y: y + cut),
            Point(x: right, y: bottom - cut), Point(x: right - cut, y: bottom), Point(x: x + cut, y: bottom),
            Point(x: x, y: bottom - cut), Point(x: x, y: y + cut),
        ]
    }
}
