/// A layered layout after Sugiyama: layers from left to right by the longest path, an order within each layer that
/// avoids crossings, and edges as curves between the layers.
///
/// Parts that are not connected lie below each other; nodes without edges come last, in rows.
enum LayeredLayout {
    /// Between parts that are not connected.
    static let partGap = 28

    static func arrange(_ input: LayerInput) -> LayerOutput {
        var output = LayerOutput()
        output.boxes = input.sizes.map { Box(x: 0, y: 0, width: $0.width, height: $0.height) }
        output.paths = Array(repeating: [], count: input.edges.count)
        output.labels = Array(repeating: nil, count: input.edges.count)
        var alone: [Int] = []
        for part in parts(input) {
            if part.edges.isEmpty {
                alone += part.nodes
                continue
            }
            var place: [Int: Int] = [:]
            for (index, node) in part.nodes.enumerated() { place[node] = index }
            let edges = part.edges.map { index in
                var edge = input.edges[index]
                edge.from = place[edge.from] ?? 0
                edge.to = place[edge.to] ?? 0
                return edge
            }
            let own = LayerInput(
                sizes: part.nodes.map { input.sizes[$0] }, edges: edges, isLast: part.nodes.map { input.isLast[$0] })
            output.merge(arrangePart(own), nodes: part.nodes, edges: part.edges, gap: partGap)
        }
        if !alone.isEmpty {
            let width = max(output.width, 900)
            output.merge(rows(alone.map { input.sizes[$0] }, width: width), nodes: alone, edges: [], gap: partGap)
        }
        return output
    }

    private static func arrangePart(_ input: LayerInput) -> LayerOutput {
        var layers = Layers(input)
        LayerOrder.improve(&layers)
        return LayerPlacement(layers, input).output()
    }

    /// The connected parts, each in the order of its nodes.
    private static func parts(_ input: LayerInput) -> [(nodes: [Int], edges: [Int])] {
        var root = Array(input.sizes.indices)
        func find(_ node: Int) -> Int {
            var node = node
            while root[node] != node {
                root[node] = root[root[node]]
                node = root[node]
            }
            return node
        }
        for edge in input.edges {
            let (first, second) = (find(edge.from), find(edge.to))
            root[max(first, second)] = min(first, second)
        }
        var parts: [(nodes: [Int], edges: [Int])] = []
        var places: [Int: Int] = [:]
        for node in input.sizes.indices {
            let part = find(node)
            if places[part] == nil {
                places[part] = parts.count
                parts.append(([], []))
            }
            parts[places[part] ?? 0].nodes.append(node)
        }
        for (index, edge) in input.edges.enumerated() { parts[places[find(edge.from)] ?? 0].edges.append(index) }
        return parts
    }

    /// Boxes side by side, in as many rows as they need.
    private static func rows(_ sizes: [LayerInput.Size], width: Int) -> LayerOutput {
        var output = LayerOutput()
        var (x, y, height) = (0, 0, 0)
        for size in sizes {
            if x > 0 && x + size.width > width {
                y += height + partGap
                (x, height) = (0, 0)
            }
            output.boxes.append(Box(x: x, y: y, width: size.width, height: size.height))
            height = max(height, size.height)
            output.width = max(output.width, x + size.width)
            output.height = y + height
            x += size.width + partGap
        }
        return output
    }
}
