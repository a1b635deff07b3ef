/// Places items as near as possible to where they want to be, in their order and with a least distance.
enum Isotonic {
    /// Positions that minimize the sum of the weighted squares of the differences to `desired`.
    ///
    /// - Parameter distances: the least distance between item `i` and item `i + 1`; one fewer than there are items.
    /// - Parameter weights: how much each item insists; 1 each by default.
    /// - Parameter bounds: where the first and the last item may be at most; they must lie at least as far apart as
    ///   the sum of the distances.
    static func places(
        _ desired: [Double], distances: [Double], weights: [Double]? = nil, bounds: ClosedRange<Double>? = nil
    ) -> [Double] {
        guard let first = desired.first else { return [] }
        var offsets = [0.0]
        for distance in distances { offsets.append(offsets[offsets.count - 1] + distance) }
        // Adjacent violators are pooled: each pool lies at its weighted mean.
        var pools: [(sum: Double, weight: Double, count: Int)] = []
        for (index, place) in desired.enumerated() {
            let weight = weights?[index] ?? 1
            pools.append(((place - offsets[index]) * weight, weight, 1))
            while pools.count > 1 {
                let last = pools[pools.count - 1]
                let before = pools[pools.count - 2]
                guard before.sum / before.weight > last.sum / last.weight else { break }
                pools.removeLast(2)
                pools.append((before.sum + last.sum, before.weight + last.weight, before.count + last.count))
            }
        }
        let least = bounds?.lowerBound ?? -.infinity
        let most = bounds.map { max($0.lowerBound, $0.upperBound - (offsets.last ?? first)) } ?? .infinity
        var places: [Double] = []
        for pool in pools {
            let mean = min(max(pool.sum / pool.weight, least), most)
            for _ in 0..<pool.count { places.append(mean + offsets[places.count]) }
        }
        return places
    }
}
