extension Drawing {
    /// The document, with its style sheet; it refers to nothing outside itself.
    func svg(_ theme: Theme) -> String {
        var text = """
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(width) \(height)" width="\(width)" \
            height="\(height)" role="img" aria-labelledby="title desc" font-family="\(Palette.fonts)">
            <title id="title">\(XML.escape(title))</title>
            <desc id="desc">\(XML.escape(description))</desc>
            <style>
            \(Palette.sheet(theme))
            </style>
            <rect class="paper" width="\(width)" height="\(height)"/>

            """
        for shape in shapes {
            text += shape.svg
            text += "\n"
        }
        return text + "</svg>\n"
    }
}

extension Drawing.Shape {
    fileprivate var svg: String {
        switch self {
        case .box(let box, let radius, let style):
            return
                "<rect class=\"\(style)\" x=\"\(box.x)\" y=\"\(box.y)\" width=\"\(box.width)\" "
                + "height=\"\(box.height)\" rx=\"\(radius)\"/>"
        case .circle(let x, let y, let radius, let style):
            return "<circle class=\"\(style)\" cx=\"\(x)\" cy=\"\(y)\" r=\"\(radius)\"/>"
        case .polygon(let points, let style):
            return "<polygon class=\"\(style)\" points=\"\(points.map(\.svg).joined(separator: " "))\"/>"
        case .path(let path, let style):
            var text = "<path class=\"\(style)\" d=\"\(path.svg)\"/>"
            if path.hasArrow {
                let tip = path.end
                let points =
                    path.goesDown
                    ? [tip, Point(x: tip.x - 5, y: tip.y - 9), Point(x: tip.x + 5, y: tip.y - 9)]
                    : [tip, Point(x: tip.x - 9, y: tip.y - 5), Point(x: tip.x - 9, y: tip.y + 5)]
                text += "<polygon class=\"tip \(style)\" points=\"\(points.map(\.svg).joined(separator: " "))\"/>"
            }
            return text
        case .label(let label):
            let anchor = label.anchor == .start ? "" : " text-anchor=\"\(label.anchor.rawValue)\""
            let weight = label.isBold ? " font-weight=\"bold\"" : ""
            let style = label.style.isEmpty ? "" : " class=\"\(label.style)\""
            return
                "<text\(style) x=\"\(label.x)\" y=\"\(label.y)\" font-size=\"\(label.size)\"\(weight)\(anchor)>"
                + "\(XML.escape(label.text))</text>"
        }
    }
}

extension Point {
    fileprivate var svg: String { "\(x),\(y)" }
}

extension Path {
    /// Whether it arrives from above, not from the left.
    fileprivate var goesDown: Bool {
        let points = points
        return points.count > 1 && points[points.count - 2].x == end.x && points[points.count - 2].y < end.y
    }

    fileprivate var svg: String {
        var text = "M\(start.svg)"
        for piece in pieces {
            switch piece {
            case .line(let point): text += " L\(point.svg)"
            case .curve(let first, let second, let end): text += " C\(first.svg) \(second.svg) \(end.svg)"
            }
        }
        return text
    }
}
