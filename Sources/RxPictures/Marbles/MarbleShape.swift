/// The shapes of single marks, each different without its color.
enum MarbleShape {
    /// Draws a mark around a point, at most 12 pixels to each side.
    static func draw(_ kind: Mark.Kind, at center: Point, on drawing: inout Drawing) {
        let (x, y) = (center.x, center.y)
        func line(_ style: String, _ points: (Int, Int)...) {
            var path = Path(Point(x: x + points[0].0, y: y + points[0].1))
            for point in points.dropFirst() { path.line(to: Point(x: x + point.0, y: y + point.1)) }
            drawing.add(.path(path, style: style))
        }
        func polygon(_ style: String, _ points: (Int, Int)...) {
            drawing.add(.polygon(points.map { Point(x: x + $0.0, y: y + $0.1) }, style: style))
        }
        switch kind {
        case .element: drawing.add(.circle(x: x, y: y, radius: 12, style: "marble"))
        case .error:
            line("error", (-8, -8), (8, 8))
            line("error", (-8, 8), (8, -8))
        case .completed: line("lane", (0, -12), (0, 12))
        case .lag:
            polygon("torn", (-8, -9), (8, -9), (4, -4), (8, 0), (4, 4), (8, 9), (-8, 9), (-4, 4), (-8, 0), (-4, -4))
        case .firing(.started): polygon("good", (-7, -9), (10, 0), (-7, 9))
        case .firing(.queued): polygon("waits", (0, -10), (10, 0), (0, 10), (-10, 0))
        case .firing(.joined):
            drawing.add(.circle(x: x - 4, y: y, radius: 7, style: "waits"))
            drawing.add(.circle(x: x + 4, y: y, radius: 7, style: "waits"))
        case .firing(.reduced): polygon("good", (-8, -8), (8, -8), (8, 8), (-8, 8))
        case .firing(.refused):
            drawing.add(.circle(x: x, y: y, radius: 9, style: "bad"))
            line("error", (-5, 5), (5, -5))
        case .firing(.failed):
            polygon("bad", (-9, -9), (9, -9), (9, 9), (-9, 9))
            line("error", (-4, -4), (4, 4))
            line("error", (-4, 4), (4, -4))
        case .ended(true):
            drawing.add(.circle(x: x, y: y, radius: 9, style: "good"))
            line("lane", (-4, 0), (-1, 4), (5, -4))
        case .ended(false):
            drawing.add(.circle(x: x, y: y, radius: 9, style: "bad"))
            line("error", (-4, -4), (4, 4))
            line("error", (-4, 4), (4, -4))
        }
    }
}
