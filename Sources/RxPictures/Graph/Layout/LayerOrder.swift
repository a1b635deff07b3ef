/// Orders each layer so that few edges cross.
enum LayerOrder {
    /// How often the layers are swept; there is little to gain after that.
    private static let sweeps = 12

    /// Sweeps left and right, moving each item to the mean of its neighbors, and keeps the best order.
    static func improve(_ layers: inout Layers) {
        var best = layers.rows
        var fewest = crossings(layers)
        for sweep in 0..<sweeps where fewest > 0 {
            let isForward = sweep.isMultiple(of: 2)
            var place = places(layers)
            let order = isForward ? Array(layers.rows.indices) : layers.rows.indices.reversed()
            for row in order {
                let neighbors = isForward ? layers.before : layers.after
                let means = layers.rows[row].map { item in
                    let near = neighbors[item]
                    return near.isEmpty
                        ? Double(place[item]) : Double(near.reduce(0) { $0 + place[$1] }) / Double(near.count)
                }
                let sorted = zip(means, layers.rows[row]).enumerated().sorted {
                    ($0.element.0, $0.offset) < ($1.element.0, $1.offset)
                }
                layers.rows[row] = sorted.map(\.element.1)
                for (index, item) in layers.rows[row].enumerated() { place[item] = index }
            }
            let count = crossings(layers)
            if count < fewest { (fewest, best) = (count, layers.rows) }
        }
        layers.rows = best
    }

    private static func places(_ layers: Layers) -> [Int] {
        var place = Array(repeating: 0, count: layers.items.count)
        for row in layers.rows { for (index, item) in row.enumerated() { place[item] = index } }
        return place
    }

    /// How many pairs of edges cross between neighboring layers.
    private static func crossings(_ layers: Layers) -> Int {
        let place = places(layers)
        var count = 0
        for (row, next) in zip(layers.rows, layers.rows.dropFirst()) {
            // A Fenwick tree counts the edges that end further down than the one at hand.
            var tree = Array(repeating: 0, count: next.count + 1)
            var seen = 0
            for item in row {
                let ends = layers.after[item].map { place[$0] }.sorted()
                for end in ends {
                    var index = end + 1
                    var upTo = 0
                    while index > 0 {
                        upTo += tree[index]
                        index &= index - 1
                    }
                    count += seen - upTo
                }
                for end in ends {
                    var index = end + 1
                    while index < tree.count {
                        tree[index] += 1
                        index += index & -index
                    }
                    seen += 1
                }
            }
        }
        return count
    }
}
