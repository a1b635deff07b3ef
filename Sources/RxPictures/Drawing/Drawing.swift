/// Shapes on a plane, in whole pixels, from which an SVG document is written.
///
/// Colors come from the classes in ``Palette``, so that one document serves light and dark.
struct Drawing {
    enum Anchor: String {
        case start, middle, end
    }

    /// One line of text. Its box is estimated, so that tests can prove that no two overlap.
    struct Label {
        var text: String
        /// Where the anchor lies.
        var x: Int
        /// The base line.
        var y: Int
        var size: Int
        var isBold = false
        var anchor = Anchor.start
        var style = ""

        var box: Box {
            let width = TextWidth.pixels(text, size: size, isBold: isBold)
            let left =
                switch anchor {
                case .start: x
                case .middle: x - (width + 1) / 2
                case .end: x - width
                }
            return Box(x: left, y: y - size * 4 / 5, width: width, height: size)
        }
    }

    enum Shape {
        case box(Box, radius: Int, style: String)
        case circle(x: Int, y: Int, radius: Int, style: String)
        /// A closed polygon.
        case polygon([Point], style: String)
        case path(Path, style: String)
        case label(Label)
    }

    let title: String
    let description: String
    var width = 0
    var height = 0
    private(set) var shapes: [Shape] = []

    init(title: String, description: String) {
        self.title = title
        self.description = description
    }

    mutating func add(_ shape: Shape) { shapes.append(shape) }

    mutating func add(_ label: Label) {
        if !label.text.isEmpty { shapes.append(.label(label)) }
    }

    var labels: [Label] {
        shapes.compactMap { if case .label(let label) = $0 { label } else { nil } }
    }
}

struct Point: Equatable {
    var x: Int
    var y: Int
}

struct Box: Equatable {
    var x: Int
    var y: Int
    var width: Int
    var height: Int

    var right: Int { x + width }
    var bottom: Int { y + height }
    var middle: Int { y + height / 2 }

    func overlaps(_ other: Box) -> Bool {
        x < other.right && other.x < right && y < other.bottom && other.y < bottom
    }
}

/// A line of straight pieces and curves, and whether an arrow is at its end.
struct Path {
    enum Piece {
        case line(Point)
        case curve(Point, Point, Point)

        var points: [Point] {
            switch self {
            case .line(let point): [point]
            case .curve(let first, let second, let end): [first, second, end]
            }
        }
    }

    var start: Point
    var pieces: [Piece] = []
    var hasArrow = false

    var end: Point { pieces.last?.points.last ?? start }
    var points: [Point] { [start] + pieces.flatMap(\.points) }

    init(_ points: Point...) {
        start = points[0]
        pieces = points.dropFirst().map { .line($0) }
    }

    /// Begins further away, with a straight piece.
    mutating func begin(at point: Point) {
        pieces.insert(.line(start), at: 0)
        start = point
    }

    mutating func line(to point: Point) {
        if point != end { pieces.append(.line(point)) }
    }

    /// A curve that leaves and arrives level.
    mutating func sweep(to point: Point) {
        if point.y == end.y { return line(to: point) }
        let middle = (end.x + point.x) / 2
        pieces.append(.curve(Point(x: middle, y: end.y), Point(x: middle, y: point.y), point))
    }
}
