/// The ticks of a time axis.
struct Axis {
    struct Tick {
        var place: Double
        var text: String
    }

    private static let steps: [Int64] =
        [1, 2, 5, 10, 20, 50, 100, 200, 500]
        + [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10_800, 21_600, 43_200, 86_400].map {
            $0 * 1000
        }

    private(set) var ticks: [Tick] = []

    /// - Parameter width: that of the axis.
    /// - Parameter measure: the width of a label with the space around it. Labels begin at their tick.
    init(
        _ map: TimeMap, width: Double, offset: @Sendable (Int64) -> Int, measure: (String) -> Double
    ) {
        let runs = map.runs
        // The dates are shown if the picture does not lie within one.
        let dates = Set(
            [runs.first?.from, runs.last?.to].compactMap { $0 }.map { LocalTime($0, offset: offset($0)).date })
        let active = runs.map { $0.to - $0.from }.max() ?? 0
        func text(_ time: Int64) -> String {
            let local = LocalTime(time, offset: offset(time))
            let clock =
                active > 0 && active < 5000 ? local.fineClock : active < 3_600_000 * 4 ? local.clock : local.coarseClock
            return dates.count > 1 ? "\(local.date.dropFirst(5)) \(clock)" : clock
        }
        var taken: [(Double, Double)] = []
        func add(_ time: Int64) -> Tick? {
            let label = text(time)
            let place = map.place(time)
            let end = place + measure(label)
            guard end <= width, !taken.contains(where: { $0.0 < end && place < $0.1 }) else { return nil }
            taken.append((place, end))
            return Tick(place: place, text: label)
        }
        for run in runs { if let tick = add(run.from) { ticks.append(tick) } }
        for run in runs {
            let room = max(1, (map.place(run.to) - map.place(run.from)) / measure(text(run.from)))
            let span = run.to - run.from
            guard let step = Self.steps.first(where: { Double(span / $0) <= room }), span >= step else { continue }
            let shift = Int64(offset(run.from)) * 1000
            var time = (run.from + shift + step - 1) / step * step - shift
            while time <= run.to {
                if time >= run.from, let tick = add(time) { ticks.append(tick) }
                time += step
            }
        }
        ticks.sort { $0.place < $1.place }
    }
}
