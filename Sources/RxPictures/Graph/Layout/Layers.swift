/// The nodes of one part in layers. An edge across several layers passes one item in each layer between.
struct Layers {
    enum Role: Equatable {
        case node(Int)
        /// Where an edge keeps room for its label.
        case label(edge: Int)
        /// Where an edge passes a layer.
        case bend(edge: Int)
    }

    struct Item {
        let role: Role
        let layer: Int
        let width: Int
        let height: Int
        /// Where edges arrive and leave, from the middle down.
        var entry = 0.0
        var exit = 0.0
    }

    /// More bends than that, from pulling nodes to the right, are not worth it.
    private static let mostBends = 5000

    private(set) var items: [Item] = []
    /// The items of each layer, from top to bottom.
    var rows: [[Int]] = []
    /// The items that each edge passes, from its first node to its last; empty if the edge is drawn back.
    private(set) var chains: [[Int]] = []
    private(set) var before: [[Int]] = []
    private(set) var after: [[Int]] = []

    init(_ input: LayerInput) {
        let layer = Self.layers(input)
        for (node, size) in input.sizes.enumerated() {
            items.append(
                Item(
                    role: .node(node), layer: layer[node], width: size.width, height: size.height,
                    entry: Double(size.entry), exit: Double(size.exit)))
        }
        for (index, edge) in input.edges.enumerated() {
            guard !edge.isBackward && !edge.isHidden else {
                chains.append([])
                continue
            }
            var chain = [edge.from]
            let between = layer[edge.from] + 1..<layer[edge.to]
            let labelLayer = between.lowerBound
            for passed in between {
                chain.append(items.count)
                if passed == labelLayer, let label = edge.label {
                    items.append(
                        Item(role: .label(edge: index), layer: passed, width: label.width, height: label.height))
                } else {
                    items.append(Item(role: .bend(edge: index), layer: passed, width: 0, height: 4))
                }
            }
            chains.append(chain + [edge.to])
        }
        rows = Array(repeating: [], count: (layer.max() ?? 0) + 1)
        before = Array(repeating: [], count: items.count)
        after = Array(repeating: [], count: items.count)
        for chain in chains {
            for (from, to) in zip(chain, chain.dropFirst()) {
                after[from].append(to)
                before[to].append(from)
            }
        }
        // The first order is that of a walk along the edges.
        var seen = Array(repeating: false, count: items.count)
        var stack = Array(input.sizes.indices.reversed())
        while let item = stack.popLast() {
            if seen[item] { continue }
            seen[item] = true
            rows[items[item].layer].append(item)
            stack += after[item].reversed()
        }
    }

    /// The layer of each node: one more than that before it, two more where a label lies between.
    private static func layers(_ input: LayerInput) -> [Int] {
        var waits = Array(repeating: 0, count: input.sizes.count)
        var outgoing = Array(repeating: [LayerInput.Edge](), count: input.sizes.count)
        for edge in input.edges where !edge.isBackward && !edge.isHidden {
            waits[edge.to] += 1
            outgoing[edge.from].append(edge)
        }
        var layer = Array(repeating: 0, count: input.sizes.count)
        var queue = input.sizes.indices.filter { waits[$0] == 0 }
        var next = 0
        while next < queue.count {
            let node = queue[next]
            next += 1
            for edge in outgoing[node] {
                layer[edge.to] = max(layer[edge.to], layer[node] + (edge.label == nil ? 1 : 2))
                waits[edge.to] -= 1
                if waits[edge.to] == 0 { queue.append(edge.to) }
            }
        }
        let last = layer.max() ?? 0
        var bends = 0
        for edge in input.edges where !edge.isBackward && !edge.isHidden && input.isLast[edge.to] {
            bends += last - layer[edge.to]
        }
        if bends <= mostBends {
            for node in layer.indices where input.isLast[node] && outgoing[node].isEmpty { layer[node] = last }
        }
        return layer
    }
}
