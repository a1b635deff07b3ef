/// The lines of text in a node, and the space they take.
struct NodeFace {
    struct Line {
        var text: String
        var size: Int
        var isBold = false
        var style = ""
    }

    /// Wider texts are cut.
    private static let mostWidth = 190
    private static let leastWidth = 64
    private static let lineHeight = 19
    static let paddingX = 14
    private static let paddingY = 8
    /// The smallest text in a picture: half of it is still legible.
    static let small = 13
    static let large = 15

    private(set) var lines: [Line] = []
    private(set) var width: Int
    var height: Int { lines.count * Self.lineHeight + 2 * Self.paddingY }

    init(_ node: GraphNode) {
        width = Self.leastWidth
        switch node.kind {
        case .source, .step: break
        case .stream, .action, .reactor: add(Line(text: node.kind.rawValue, size: Self.small, style: "dim"))
        }
        add(Line(text: node.label, size: Self.large, isBold: true))
        add(Line(text: node.detail, size: Self.small))
        add(Line(text: node.figures.counts, size: Self.small, style: "dim"))
        add(Line(text: node.figures.state, size: Self.small, style: "warn"))
        width += 2 * Self.paddingX
    }

    private mutating func add(_ line: Line) {
        let text = TextWidth.cut(line.text.oneLine, to: Self.mostWidth, size: line.size, isBold: line.isBold)
        guard !text.isEmpty else { return }
        var line = line
        line.text = text
        lines.append(line)
        width = max(width, TextWidth.pixels(text, size: line.size, isBold: line.isBold))
    }

    /// Draws the lines from the upper left corner of a box.
    func draw(in box: Box, on drawing: inout Drawing, isCentered: Bool) {
        let top = isCentered ? box.y + (box.height - height) / 2 : box.y
        for (index, line) in lines.enumerated() {
            drawing.add(
                Drawing.Label(
                    text: line.text, x: isCentered ? box.x + box.width / 2 : box.x + Self.paddingX,
                    y: top + Self.paddingY + index * Self.lineHeight + 14, size: line.size, isBold: line.isBold,
                    anchor: isCentered ? .middle : .start, style: line.style))
        }
    }
}
