/// Marks of one row, merged where they would overlap.
struct Cluster {
    /// How many marks of each kind are in it.
    struct Counts: Equatable {
        var elements = 0
        var errors = 0
        var lost = 0
        var firings: [MarbleEvent.Firing: Int] = [:]
        var ended = 0
        var endedBadly = 0
        var completed = 0

        /// All but what is lost.
        var total: Int {
            elements + errors + firings.values.reduce(0, +) + ended + endedBadly + completed
        }

        mutating func add(_ kind: Mark.Kind) {
            switch kind {
            case .element: elements += 1
            case .error: errors += 1
            case .completed: completed += 1
            case .lag(let count): lost = lost.addingReportingOverflow(count).partialValue
            case .firing(let firing): firings[firing, default: 0] += 1
            case .ended(let isGood): if isGood { ended += 1 } else { endedBadly += 1 }
            }
        }

        mutating func add(_ other: Counts) {
            elements += other.elements
            errors += other.errors
            lost = lost.addingReportingOverflow(other.lost).partialValue
            for (firing, count) in other.firings { firings[firing, default: 0] += count }
            ended += other.ended
            endedBadly += other.endedBadly
            completed += other.completed
        }
    }

    /// What it takes on the row.
    var left: Double
    var right: Double
    /// The places of its first and last mark.
    var first: Double
    var last: Double
    /// The mark, if it is a single one.
    var single: Mark?
    var counts: Counts
    var middle: Double { (left + right) / 2 }

    /// - Parameter marks: in the order of time.
    /// - Parameter size: the width of a single mark.
    /// - Parameter bandSize: the width of the label of merged marks.
    /// - Parameter gap: the least distance between neighbors.
    /// - Parameter width: that of the row.
    /// - Parameter inset: how far marks may reach beyond both ends of the row.
    static func merge(
        _ marks: [Mark], _ map: TimeMap, width: Double, inset: Double, gap: Double, size: (Mark) -> Double,
        bandSize: (Counts) -> Double
    ) -> [Cluster] {
        var clusters: [Cluster] = []
        for mark in marks {
            let place = map.place(mark.time)
            var counts = Counts()
            counts.add(mark.kind)
            var next = Cluster(left: 0, right: 0, first: place, last: place, single: mark, counts: counts)
            next.fit(size(mark), -inset...width + inset)
            while let before = clusters.last, before.right + gap > next.left {
                clusters.removeLast()
                var merged = before.counts
                merged.add(next.counts)
                next = Cluster(left: 0, right: 0, first: before.first, last: next.last, single: nil, counts: merged)
                next.fit(max(bandSize(merged), next.last - next.first + 1), -inset...width + inset)
            }
            clusters.append(next)
        }
        return clusters
    }

    /// Lies around its marks, but within the row.
    private mutating func fit(_ size: Double, _ bounds: ClosedRange<Double>) {
        let size = size.rounded(.up)
        left = max(bounds.lowerBound, min((first + last - size) / 2, bounds.upperBound - size))
        right = left + size
    }
}
