/// The nodes and edges of one level of a graph, for ``LayeredLayout``: only sizes and places in arrays.
struct LayerInput {
    struct Size {
        var width: Int
        var height: Int
        /// Where edges arrive, from the middle down.
        var entry = 0
        /// Where edges leave, from the middle down.
        var exit = 0
        /// The height over which their ends may spread; the whole height by default.
        var portHeight: Int?
    }

    struct Edge {
        var from: Int
        var to: Int
        /// The size of the label; nil without one.
        var label: Size?
        /// Whether it is drawn back below the rest. Without these edges there is no cycle.
        var isBackward: Bool
        /// Whether it lies within a node and is not drawn.
        var isHidden = false
    }

    var sizes: [Size]
    var edges: [Edge]
    /// The nodes that belong on the right, unless an edge leaves them.
    var isLast: [Bool]
}

/// Where ``LayeredLayout`` put everything, with the upper left corner at 0, 0.
struct LayerOutput {
    var width = 0
    var height = 0
    /// One per node.
    var boxes: [Box] = []
    /// The pieces of each edge, in its direction; the last one ends at the node with an arrow.
    var paths: [[Path]] = []
    /// Where the label of each edge has room.
    var labels: [Box?] = []

    /// Puts another layout below this one.
    mutating func merge(_ other: LayerOutput, nodes: [Int], edges: [Int], gap: Int) {
        let top = height == 0 ? 0 : height + gap
        for (place, node) in nodes.enumerated() { boxes[node] = other.boxes[place].moved(0, top) }
        for (place, edge) in edges.enumerated() {
            paths[edge] = other.paths[place].map { $0.moved(0, top) }
            labels[edge] = other.labels[place]?.moved(0, top)
        }
        width = max(width, other.width)
        height = top + other.height
    }
}

extension Box {
    func moved(_ x: Int, _ y: Int) -> Box { Box(x: self.x + x, y: self.y + y, width: width, height: height) }
}

extension Point {
    func moved(_ x: Int, _ y: Int) -> Point { Point(x: self.x + x, y: self.y + y) }
}

extension Path {
    func moved(_ x: Int, _ y: Int) -> Path {
        var moved = self
        moved.start = start.moved(x, y)
        moved.pieces = pieces.map { piece in
            switch piece {
            case .line(let point): .line(point.moved(x, y))
            case .curve(let first, let second, let end):
                .curve(first.moved(x, y), second.moved(x, y), end.moved(x, y))
            }
        }
        return moved
    }
}
