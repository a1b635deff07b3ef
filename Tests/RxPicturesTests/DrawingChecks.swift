import FoundationXML
import Testing

@testable import RxPictures

import struct Foundation.Data

/// What holds for every picture in SVG.
enum DrawingChecks {
    static func check(_ drawing: Drawing, _ picture: String) {
        noTextsOverlap(drawing, picture)
        everythingIsOnThePaper(drawing, picture)
        textsLieWithinOrBesideBoxes(drawing, picture)
        for theme in [Theme.automatic, .light, .dark] {
            let parser = XMLParser(data: Data(drawing.svg(theme).utf8))
            #expect(parser.parse(), "\(picture) is not well-formed: \(String(describing: parser.parserError))")
        }
    }

    private static func noTextsOverlap(_ drawing: Drawing, _ picture: String) {
        let labels = drawing.labels.sorted { $0.box.x < $1.box.x }
        for (index, first) in labels.enumerated() {
            for second in labels[(index + 1)...] {
                if second.box.x >= first.box.right { break }
                if first.box.overlaps(second.box) { Issue.record("\(picture): \(first) lies on \(second)") }
            }
        }
    }

    private static func everythingIsOnThePaper(_ drawing: Drawing, _ picture: String) {
        for shape in drawing.shapes {
            let points: [Point]
            switch shape {
            case .box(let box, _, _): points = [Point(x: box.x, y: box.y), Point(x: box.right, y: box.bottom)]
            case .circle(let x, let y, let radius, _):
                points = [Point(x: x - radius, y: y - radius), Point(x: x + radius, y: y + radius)]
            case .polygon(let corners, _): points = corners
            case .path(let path, _): points = path.points
            case .label(let label):
                points = [Point(x: label.box.x, y: label.box.y), Point(x: label.box.right, y: label.box.bottom)]
            }
            let isInside = points.allSatisfy {
                (0...drawing.width).contains($0.x) && (0...drawing.height).contains($0.y)
            }
            if !isInside { Issue.record("\(picture): \(shape) is not within \(drawing.width) × \(drawing.height)") }
        }
    }

    /// Except the boxes around inner steps, whose own edges lie within them.
    static func noEdgeCrossesANode(_ drawing: Drawing, _ picture: String) {
        var nodes: [Box] = []
        for case .box(let box, _, let style) in drawing.shapes where !style.hasPrefix("group") { nodes.append(box) }
        for case .path(let path, _) in drawing.shapes {
            for point in path.samples {
                // The ends touch a border.
                let crossed = nodes.first {
                    $0.x + 2 < point.x && point.x < $0.right - 2 && $0.y + 2 < point.y && point.y < $0.bottom - 2
                }
                if let crossed { Issue.record("\(picture): \(path) crosses \(crossed) at \(point)") }
            }
        }
    }

    /// Except collapsed time and executions, above which bands are drawn.
    private static func textsLieWithinOrBesideBoxes(_ drawing: Drawing, _ picture: String) {
        for case .box(let box, _, let style) in drawing.shapes where style != "executing" && style != "idle" {
            for label in drawing.labels where label.box.overlaps(box) {
                let isWithin =
                    label.box.x >= box.x && label.box.right <= box.right && label.box.y >= box.y
                    && label.box.bottom <= box.bottom
                if !isWithin { Issue.record("\(picture): \(label) crosses the border of \(box)") }
            }
        }
    }
}

extension Path {
    /// Points along the way.
    fileprivate var samples: [Point] {
        var samples = [start]
        var from = start
        for piece in pieces {
            for step in 1...40 {
                let part = Double(step) / 40
                let rest = 1 - part
                func mix(_ weights: [(Double, Point)]) -> Point {
                    Point(
                        x: Int(weights.reduce(0) { $0 + $1.0 * Double($1.1.x) }.rounded()),
                        y: Int(weights.reduce(0) { $0 + $1.0 * Double($1.1.y) }.rounded()))
                }
                switch piece {
                case .line(let end): samples.append(mix([(rest, from), (part, end)]))
                case .curve(let first, let second, let end):
                    samples.append(
                        mix([
                            (rest * rest * rest, from), (3 * rest * rest * part, first),
                            (3 * rest * part * part, second), (part * part * part, end),
                        ]))
                }
            }
            from = piece.points[piece.points.count - 1]
        }
        return samples
    }
}
