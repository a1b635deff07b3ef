/// Turns ordered layers into coordinates and paths.
struct LayerPlacement {
    /// Between two nodes of a layer.
    private static let nodeGap = 20
    /// Between an edge that passes and its neighbor.
    private static let bendGap = 12
    /// Where edges sweep from one layer to the next.
    private static let sweepGap = 38
    /// Between edges that are drawn back.
    private static let trackGap = 12
    private static let laneGap = 24
    /// Between ends of edges at a node.
    private static let portGap = 12
    private static let passes = 8

    private let layers: Layers
    private let input: LayerInput
    /// The middle of each item.
    private var middle: [Int] = []
    /// The left side of each layer.
    private var left: [Int] = []
    private var columnWidth: [Int] = []
    /// The edges drawn back, those of the shortest way first.
    private var backward: [Int] = []
    /// The tracks of edges drawn back: those that leave each layer, and those that arrive.
    private var leaving: [[Int]] = []
    private var arriving: [[Int]] = []
    private var bottom = 0
    private var ports: [[Int]: Int] = [:]

    init(_ layers: Layers, _ input: LayerInput) {
        self.layers = layers
        self.input = input
        placeVertically()
        placeTracks()
        placeColumns()
        placePorts()
    }

    func output() -> LayerOutput {
        var output = LayerOutput()
        for node in input.sizes.indices {
            let size = input.sizes[node]
            output.boxes.append(
                Box(
                    x: left[layers.items[node].layer], y: middle[node] - size.height / 2, width: size.width,
                    height: size.height))
        }
        for edge in input.edges.indices {
            let (paths, label): ([Path], Box?) =
                input.edges[edge].isHidden ? ([], nil) : input.edges[edge].isBackward ? back(edge) : forward(edge)
            output.paths.append(paths)
            output.labels.append(label)
        }
        let last = left.count - 1
        output.width = left[last] + columnWidth[last] + leaving[last].count * Self.trackGap
        output.height = bottom + (backward.isEmpty ? 0 : backward.count * Self.laneGap + 4)
        return output
    }

    private mutating func placeVertically() {
        var center = Array(repeating: 0.0, count: layers.items.count)
        let distances = layers.rows.map { row in zip(row, row.dropFirst()).map { distance($0, $1) } }
        for (row, distances) in zip(layers.rows, distances) {
            let start = -distances.reduce(0, +) / 2
            var place = start
            for (index, item) in row.enumerated() {
                center[item] = place
                if index < distances.count { place += distances[index] }
            }
        }
        for pass in 0..<Self.passes {
            let isForward = pass.isMultiple(of: 2)
            let isLast = pass >= Self.passes - 2
            let order = isForward ? Array(layers.rows.indices) : layers.rows.indices.reversed()
            for row in order {
                var desired: [Double] = []
                var weights: [Double] = []
                for item in layers.rows[row] {
                    let own = layers.items[item]
                    var (sum, weight) = (0.0, 0.0)
                    if isForward || isLast {
                        for other in layers.before[item] {
                            let insists = straightness(item, other)
                            sum += (center[other] + layers.items[other].exit - own.entry) * insists
                            weight += insists
                        }
                    }
                    if !isForward || isLast {
                        for other in layers.after[item] {
                            let insists = straightness(item, other)
                            sum += (center[other] + layers.items[other].entry - own.exit) * insists
                            weight += insists
                        }
                    }
                    desired.append(weight == 0 ? center[item] : sum / weight)
                    weights.append(max(weight, 0.1))
                }
                let places = Isotonic.places(desired, distances: distances[row], weights: weights)
                for (item, place) in zip(layers.rows[row], places) { center[item] = place }
            }
        }
        let top = layers.items.indices.map { center[$0] - Double(layers.items[$0].height) / 2 }.min() ?? 0
        middle = layers.items.indices.map { Int((center[$0] - top).rounded()) + 1 }
        bottom = layers.items.indices.map { middle[$0] + (layers.items[$0].height + 1) / 2 }.max() ?? 0
    }

    /// The least distance between the middles of two neighbors in a layer.
    private func distance(_ first: Int, _ second: Int) -> Double {
        let (first, second) = (layers.items[first], layers.items[second])
        let gap = first.isNode && second.isNode ? Self.nodeGap : Self.bendGap
        return Double(first.height + second.height) / 2 + Double(gap)
    }

    /// How much an edge between two items wants to be level: long edges more than short ones.
    private func straightness(_ first: Int, _ second: Int) -> Double {
        switch (layers.items[first].isNode, layers.items[second].isNode) {
        case (true, true): 1
        case (false, false): 8
        default: 2
        }
    }

    private mutating func placeTracks() {
        func span(_ edge: Int) -> Int {
            layers.items[input.edges[edge].from].layer - layers.items[input.edges[edge].to].layer
        }
        backward = input.edges.indices.filter { input.edges[$0].isBackward }.sorted { (span($0), $0) < (span($1), $1) }
        leaving = Array(repeating: [], count: layers.rows.count)
        arriving = leaving
        for edge in backward {
            leaving[layers.items[input.edges[edge].from].layer].append(edge)
            arriving[layers.items[input.edges[edge].to].layer].append(edge)
        }
    }

    private mutating func placeColumns() {
        var x = 0
        for row in layers.rows.indices {
            x += arriving[row].count * Self.trackGap
            // An arrow needs room, even where it only comes back.
            if row == 0 && !arriving[row].isEmpty { x += Self.trackGap }
            left.append(x)
            let width = layers.rows[row].map { layers.items[$0].width }.max() ?? 0
            columnWidth.append(width)
            x += width + leaving[row].count * Self.trackGap + Self.sweepGap
        }
    }

    /// Spreads the ends of edges over the side of a node, in the order of their other ends; those drawn back lowest.
    private mutating func placePorts() {
        var ends: [[(edge: Int, isStart: Bool, other: Int)]] = Array(repeating: [], count: input.sizes.count * 2)
        for (index, edge) in input.edges.enumerated() where !edge.isHidden {
            let chain = layers.chains[index]
            let far = Int.max / 2 + (backward.firstIndex(of: index) ?? 0)
            ends[edge.from * 2].append((index, true, chain.isEmpty ? far : middle[chain[1]]))
            ends[edge.to * 2 + 1].append((index, false, chain.isEmpty ? far : middle[chain[chain.count - 2]]))
        }
        for (side, ends) in ends.enumerated() where !ends.isEmpty {
            let node = side / 2
            let size = input.sizes[node]
            let gap = min(Self.portGap, ((size.portHeight ?? size.height) - 12) / ends.count)
            let base = middle[node] + (side.isMultiple(of: 2) ? size.exit : size.entry)
            let sorted = ends.sorted { ($0.other, $0.edge) < ($1.other, $1.edge) }
            for (place, end) in sorted.enumerated() {
                ports[[end.edge, end.isStart ? 1 : 0]] = base + (place * 2 - ends.count + 1) * gap / 2
            }
        }
    }

    private func port(_ edge: Int, isStart: Bool) -> Int { ports[[edge, isStart ? 1 : 0]] ?? 0 }

    private func forward(_ edge: Int) -> ([Path], Box?) {
        let chain = layers.chains[edge]
        let from = chain[0]
        var paths: [Path] = []
        var label: Box?
        let y = port(edge, isStart: true)
        var path = Path(Point(x: left[layers.items[from].layer] + layers.items[from].width, y: y))
        var height = y
        for item in chain.dropFirst() {
            let layer = layers.items[item].layer
            let isEnd = item == chain[chain.count - 1]
            let target = isEnd ? port(edge, isStart: false) : middle[item]
            // Straight past the wider items and the tracks of this layer, then over to the next one.
            path.line(
                to: Point(
                    x: left[layer - 1] + columnWidth[layer - 1] + leaving[layer - 1].count * Self.trackGap, y: height))
            path.sweep(to: Point(x: left[layer] - arriving[layer].count * Self.trackGap - (isEnd ? 9 : 0), y: target))
            path.line(to: Point(x: left[layer], y: target))
            height = target
            if case .label = layers.items[item].role {
                let size = layers.items[item]
                label = Box(x: left[layer], y: target - size.height / 2, width: size.width, height: size.height)
                paths.append(path)
                path = Path(Point(x: left[layer] + size.width, y: target))
            }
        }
        path.hasArrow = true
        return (paths + [path], label)
    }

    /// Out to the right, down, back below everything, and up to the left of the node.
    private func back(_ edge: Int) -> ([Path], Box?) {
        let (from, to) = (input.edges[edge].from, input.edges[edge].to)
        let (fromLayer, toLayer) = (layers.items[from].layer, layers.items[to].layer)
        let out =
            left[fromLayer] + columnWidth[fromLayer]
            + ((leaving[fromLayer].firstIndex(of: edge) ?? 0) + 1) * Self.trackGap
        let into = left[toLayer] - ((arriving[toLayer].firstIndex(of: edge) ?? 0) + 1) * Self.trackGap - 6
        let lane = bottom + ((backward.firstIndex(of: edge) ?? 0) + 1) * Self.laneGap
        let start = port(edge, isStart: true)
        let end = port(edge, isStart: false)
        var path = Path(
            Point(x: left[fromLayer] + layers.items[from].width, y: start), Point(x: out, y: start),
            Point(x: out, y: lane), Point(x: into, y: lane), Point(x: into, y: end), Point(x: left[toLayer], y: end))
        path.hasArrow = true
        guard let label = input.edges[edge].label else { return ([path], nil) }
        let room = out - into - 16
        return ([path], Box(x: into + 8, y: lane - 18, width: min(label.width, room), height: 16))
    }
}

extension Layers.Item {
    /// Whether it keeps its distance as a node does.
    fileprivate var isNode: Bool {
        switch role {
        case .node, .label: true
        case .bend: false
        }
    }
}
