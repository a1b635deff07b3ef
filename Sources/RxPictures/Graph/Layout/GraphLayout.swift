/// Where everything in a graph is drawn: each step with inner steps is laid out first and then takes part in the level
/// around it as one node.
struct GraphLayout {
    /// Between the border of a box and its inner steps.
    private static let boxPadding = 18
    /// Between steps that are stacked.
    private static let stackGap = 24
    /// A graph wider than this has its chains of steps stacked; it would be illegible at half its size.
    private static let wide = 1100
    private static let wideInside = 420
    private static let mostStacked = 5
    /// How much each end of an edge adds to the height of a node, and the most they add.
    private static let portHeight = 13
    private static let mostHeight = 600
    private static let labelSize = NodeFace.small
    private static let mostLabelWidth = 150

    private let graph: Graph
    let faces: [NodeFace]
    private let inner: [Int: [Int]]
    private let place: [String: Int]

    /// One per node.
    private(set) var boxes: [Box]
    /// One list per edge: its pieces.
    private(set) var paths: [[Path]]
    private(set) var labels: [Drawing.Label]
    /// The ways into and out of boxes.
    private(set) var ways: [Path] = []
    private(set) var width = 0
    private(set) var height = 0
    /// The level that each path, label, and way belongs to: it moves with the node of that level.
    private var pathLevels: [Int?]
    private var labelLevels: [Int] = []
    private var wayLevels: [Int] = []

    init(_ graph: Graph) {
        self.graph = graph
        faces = graph.nodes.map { NodeFace($0) }
        var place: [String: Int] = [:]
        for (index, node) in graph.nodes.enumerated() { place[node.id] = index }
        self.place = place
        var inner: [Int: [Int]] = [:]
        for (index, node) in graph.nodes.enumerated() {
            inner[node.parent.flatMap { place[$0] } ?? -1, default: []].append(index)
        }
        self.inner = inner
        boxes = graph.nodes.map { _ in Box(x: 0, y: 0, width: 0, height: 0) }
        paths = graph.edges.map { _ in [] }
        labels = []
        pathLevels = graph.edges.map { _ in nil }
        (width, height) = arrange(level: -1)
    }

    /// Whether a box is drawn around inner steps.
    func isBox(_ node: Int) -> Bool { inner[node] != nil }

    /// Lays out the nodes within a step, or those within none for -1.
    private mutating func arrange(level: Int) -> (width: Int, height: Int) {
        let nodes = inner[level] ?? []
        let edges = edges(within: level, nodes)
        var sizes: [LayerInput.Size] = []
        for index in nodes.indices {
            let ends = max(edges.count { $0.from == index }, edges.count { $0.to == index })
            sizes.append(size(nodes[index], ends: ends))
        }
        var stacks = Stacks(alone: nodes.count)
        var output = LayeredLayout.arrange(layerInput(level, nodes, sizes, edges, stacks))
        if output.width > (level < 0 ? Self.wide : Self.wideInside) {
            stacks = Stacks(chains(nodes, edges), count: nodes.count)
            output = LayeredLayout.arrange(layerInput(level, nodes, sizes, edges, stacks))
        }
        for (unit, members) in stacks.units.enumerated() {
            var place = output.boxes[unit]
            for member in members {
                let size = sizes[member]
                let node = nodes[member]
                // What is within the node was laid out from 0, 0.
                move(level: node, x: place.x + Self.boxPadding, y: place.y + faces[node].height)
                boxes[node] = Box(x: place.x, y: place.y, width: size.width, height: size.height)
                place.y += size.height + Self.stackGap
            }
        }
        for (place, edge) in edges.enumerated() {
            pathLevels[edge.index] = level
            let (from, to) = (boxes[nodes[edge.from]], boxes[nodes[edge.to]])
            guard !stacks.isWithin(edge.from, edge.to) else {
                let x = from.x + min(from.width, to.width) / 2
                var path = Path(Point(x: x, y: from.bottom), Point(x: x, y: to.y))
                path.hasArrow = true
                paths[edge.index] = [path]
                continue
            }
            paths[edge.index] = output.paths[place]
            // A stack is as wide as its widest step: the edge begins at the last one.
            if from.right < paths[edge.index][0].start.x {
                paths[edge.index][0].begin(at: Point(x: from.right, y: paths[edge.index][0].start.y))
            }
            if let box = output.labels[place] { label(edge.index, in: box, level) }
        }
        if level >= 0 { addWays(level, nodes, edges.map { ($0.from, $0.to) }) }
        return (output.width, output.height)
    }

    /// The size of a node, and of what is within it. Many edges make it higher.
    private mutating func size(_ node: Int, ends: Int) -> LayerInput.Size {
        let face = faces[node]
        guard isBox(node) else {
            let ports = min(ends * Self.portHeight + 8, Self.mostHeight)
            return LayerInput.Size(width: face.width, height: max(face.height, ports))
        }
        let (width, height) = arrange(level: node)
        return LayerInput.Size(
            width: max(face.width, width + 2 * Self.boxPadding), height: face.height + height + Self.boxPadding)
    }

    /// The nodes and edges of a level for the layout, each stack as one node.
    private func layerInput(
        _ level: Int, _ nodes: [Int], _ sizes: [LayerInput.Size], _ edges: [(index: Int, from: Int, to: Int)],
        _ stacks: Stacks
    ) -> LayerInput {
        let lifted = edges.map { edge in
            GraphEdge(
                from: "\(stacks.unit[edge.from])", to: "\(stacks.unit[edge.to])", kind: graph.edges[edge.index].kind)
        }
        let between = edges.indices.filter { !stacks.isWithin(edges[$0].from, edges[$0].to) }
        let closing = Feedback.closing(between.map { lifted[$0] }, order: stacks.units.indices.map(String.init))
        let backward = Set(closing.map { between[$0] })
        var input = LayerInput(
            sizes: stacks.units.map { members in
                guard let first = members.first, let last = members.last, members.count > 1 else {
                    return sizes[members[0]]
                }
                let height = members.reduce(-Self.stackGap) { $0 + sizes[$1].height + Self.stackGap }
                return LayerInput.Size(
                    width: members.map { sizes[$0].width }.max() ?? 0, height: height,
                    entry: (sizes[first].height - height) / 2, exit: (height - sizes[last].height) / 2,
                    portHeight: min(sizes[first].height, sizes[last].height))
            }, edges: [],
            isLast: stacks.units.map { members in
                let kind = graph.nodes[nodes[members[0]]].kind
                return kind == .action || kind == .reactor
            })
        for (place, edge) in edges.enumerated() {
            let text = TextWidth.cut(graph.edges[edge.index].caption, to: Self.mostLabelWidth, size: Self.labelSize)
            let width = TextWidth.pixels(text, size: Self.labelSize)
            let isWithin = stacks.isWithin(edge.from, edge.to)
            // An edge within a stack takes part as one that leads nowhere.
            input.edges.append(
                LayerInput.Edge(
                    from: stacks.unit[edge.from], to: stacks.unit[edge.to],
                    label: text.isEmpty || isWithin
                        ? nil : LayerInput.Size(width: width + 12, height: Self.labelSize + 8),
                    isBackward: backward.contains(place), isHidden: isWithin))
        }
        return input
    }

    /// Chains of steps: nothing else leaves a step or arrives at the next one.
    private func chains(_ nodes: [Int], _ edges: [(index: Int, from: Int, to: Int)]) -> [[Int]] {
        var next: [Int: Int] = [:]
        var hasBefore: Set<Int> = []
        for edge in edges where edge.from != edge.to && graph.edges[edge.index].caption.isEmpty {
            let isChain =
                graph.edges[edge.index].kind == .data && graph.nodes[nodes[edge.from]].kind == .step
                && graph.nodes[nodes[edge.to]].kind == .step
                && edges.count { $0.from == edge.from } == 1 && edges.count { $0.to == edge.to } == 1
            if isChain {
                next[edge.from] = edge.to
                hasBefore.insert(edge.to)
            }
        }
        var chains: [[Int]] = []
        for start in nodes.indices where next[start] != nil && !hasBefore.contains(start) {
            var chain = [start]
            while let last = chain.last, let following = next[last] {
                chain.append(following)
                if chain.count == Self.mostStacked {
                    chains.append(chain)
                    chain = []
                    guard let further = next[following] else { break }
                    chain = [further]
                }
            }
            if chain.count > 1 { chains.append(chain) }
        }
        return chains
    }

    /// The edges whose ends lie in different nodes of a level, by the places of these nodes.
    private func edges(within level: Int, _ nodes: [Int]) -> [(index: Int, from: Int, to: Int)] {
        var position: [Int: Int] = [:]
        for (index, node) in nodes.enumerated() { position[node] = index }
        func lift(_ id: String) -> Int? {
            var node = place[id]
            while let current = node {
                if let found = position[current] { return found }
                node = graph.nodes[current].parent.flatMap { place[$0] }
            }
            return nil
        }
        return graph.edges.enumerated().compactMap { index, edge in
            guard let from = lift(edge.from), let to = lift(edge.to) else { return nil }
            // Edges within one node are drawn inside it, except one from a node to itself.
            if from == to && !(edge.from == edge.to && position[place[edge.from] ?? -1] != nil) { return nil }
            return (index, from, to)
        }
    }

    private mutating func label(_ edge: Int, in box: Box, _ level: Int) {
        let text = TextWidth.cut(graph.edges[edge].caption, to: box.width - 4, size: Self.labelSize)
        labels.append(
            Drawing.Label(
                text: text, x: box.x + 6, y: box.middle + 5, size: Self.labelSize,
                style: graph.edges[edge].kind == .feedback ? "warn" : "dim"))
        labelLevels.append(level)
    }

    /// Draws the ways from the border of a step to its first inner steps, and from the last ones to the border.
    private mutating func addWays(_ level: Int, _ nodes: [Int], _ edges: [(Int, Int)]) {
        for (index, node) in nodes.enumerated() where graph.nodes[node].kind == .step {
            let box = boxes[node]
            if !edges.contains(where: { $0.1 == index }) && box.x == 0 {
                var path = Path(Point(x: box.x - Self.boxPadding, y: box.middle), Point(x: box.x, y: box.middle))
                path.hasArrow = true
                ways.append(path)
                wayLevels.append(level)
            }
        }
    }

    /// Moves all that lies within a node.
    private mutating func move(level: Int, x: Int, y: Int) {
        guard let nodes = inner[level] else { return }
        for node in nodes {
            boxes[node] = boxes[node].moved(x, y)
            move(level: node, x: x, y: y)
        }
        for index in paths.indices where pathLevels[index] == level {
            paths[index] = paths[index].map { $0.moved(x, y) }
        }
        for index in labels.indices where labelLevels[index] == level {
            labels[index].x += x
            labels[index].y += y
        }
        for index in ways.indices where wayLevels[index] == level { ways[index] = ways[index].moved(x, y) }
    }
}
