/// Where each moment lies on a line of a given width.
///
/// It is monotone. Long times without an event have a fixed width; the rest is half in proportion to time, half spread
/// evenly over the events, so that dense moments stay legible.
struct TimeMap {
    /// A time in which nothing happens, collapsed.
    struct Gap {
        var from: Int64
        var to: Int64
        /// Where its mark lies.
        var start: Double
        var end: Double
        var duration: Int64 { to - from }
    }

    /// What the caller can draw.
    struct Measures {
        /// The width of the line.
        var width: Double
        /// Between two moments, if there is room.
        var distance: Double
        /// Between a moment and the mark of a gap next to it.
        var margin: Double
        /// The width of the mark of a gap of a duration.
        var gapWidth: (Int64) -> Double
        /// More gaps leave no room for events.
        var mostGaps: Int
    }

    private let times: [Int64]
    private let places: [Double]
    let gaps: [Gap]

    /// - Parameter instants: the moments at which something happens, in order, without repetition; the first and the
    ///   last are the borders of the window.
    init(_ instants: [Int64], _ measures: Measures) {
        times = instants
        let spans = zip(instants, instants.dropFirst()).map { $1 - $0 }
        let isGap = Self.gaps(spans, measures)
        var fixed = spans.indices.map {
            isGap[$0] ? measures.gapWidth(spans[$0]) + 2 * measures.margin : 0
        }
        var free = max(0, measures.width - fixed.reduce(0, +))
        let active = spans.indices.reduce(Int64(0)) { isGap[$1] ? $0 : $0 + spans[$1] }
        if active == 0 {
            // Nothing but gaps: they share the width.
            let count = isGap.count { $0 }
            for index in spans.indices where isGap[index] { fixed[index] += free / Double(count) }
            free = 0
        }
        let moments = isGap.count { !$0 }
        let distance = min(measures.distance, moments == 0 ? 0 : free / 2 / Double(moments))
        var desired = [0.0]
        for index in spans.indices {
            let own =
                isGap[index] ? fixed[index] : active == 0 ? 0 : free * Double(spans[index]) / Double(active)
            desired.append(desired[index] + own)
        }
        let distances = spans.indices.map { isGap[$0] ? fixed[$0] : distance }
        let places = Isotonic.places(desired, distances: distances, bounds: 0...max(measures.width, 0))
        self.places = places
        gaps = spans.indices.filter { isGap[$0] }.map { index in
            let width = measures.gapWidth(spans[index])
            let middle = (places[index] + places[index + 1]) / 2
            return Gap(
                from: instants[index], to: instants[index + 1], start: middle - width / 2, end: middle + width / 2)
        }
    }

    /// Which spans are collapsed: the longest first, as long as one is far longer than usual and would take
    /// several times the width of its mark.
    private static func gaps(_ spans: [Int64], _ measures: Measures) -> [Bool] {
        var isGap = Array(repeating: false, count: spans.count)
        let inOrder = spans.indices.sorted { (-spans[$0], $0) < (-spans[$1], $1) }
        let usual = inOrder.isEmpty ? 0 : spans[inOrder[inOrder.count / 2]]
        var rest = spans.reduce(0, +)
        var room = measures.width
        for index in inOrder.prefix(measures.mostGaps) {
            let span = spans[index]
            let width = measures.gapWidth(span) + 2 * measures.margin
            let scaled = Double(span) / Double(max(rest, 1)) * room
            guard spans.count > 1, span > 3 * usual || spans.count <= 3, scaled > 2.5 * width,
                room - width > measures.width / 2
            else {
                break
            }
            isGap[index] = true
            rest -= span
            room -= width
        }
        return isGap
    }

    /// Where a moment lies, from 0 to the width.
    func place(_ time: Int64) -> Double {
        var (low, high) = (0, times.count)
        while low < high {
            let middle = (low + high) / 2
            if times[middle] < time { low = middle + 1 } else { high = middle }
        }
        if low == times.count { return places.last ?? 0 }
        if times[low] == time || low == 0 { return places[low] }
        let part = Double(time - times[low - 1]) / Double(times[low] - times[low - 1])
        return places[low - 1] + part * (places[low] - places[low - 1])
    }

    /// The stretches between gaps, as moments.
    var runs: [(from: Int64, to: Int64)] {
        guard var from = times.first, let last = times.last else { return [] }
        var runs: [(Int64, Int64)] = []
        for gap in gaps {
            runs.append((from, gap.from))
            from = gap.to
        }
        return runs + [(from, last)]
    }
}
