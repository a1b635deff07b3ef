/// What happened over time: a lane for each stream, step, or action, with the executions that it started forked
/// beneath.
///
/// Time runs from left to right. Where nothing happens for long, it is collapsed; where much happens, it is stretched,
/// and what still does not fit is merged into a band with its count.
public struct Marbles: Sendable {
    /// More lanes do not fit on a screen.
    public static let mostLanes = 40
    /// Executions at the same time in one lane; more are only counted.
    public static let mostForks = 6
    /// The longest legend that people read.
    public static let mostLegend = 24

    /// What the picture shows, such as the name of a stream.
    public let title: String
    /// The beginning of the window, in milliseconds since 1970.
    public let from: Int64
    /// The end of the window, in milliseconds since 1970.
    public let to: Int64
    let lanes: [MarbleLane]
    /// How many lanes were left out.
    let omittedLanes: Int
    let offset: @Sendable (Int64) -> Int

    /// Assigns the events to lanes and their executions to lines.
    ///
    /// - Parameter events: in any order; those outside the window are left out, except that they show which executions
    ///   were under way.
    /// - Parameter lanes: the names of the lanes from top to bottom; lanes that only events name follow.
    /// - Parameter from: the beginning of the window; that of the first event by default.
    /// - Parameter to: the end of the window; that of the last event by default.
    /// - Parameter offset: the seconds that local time is ahead of UTC at a time in milliseconds.
    public init(
        title: String, events: [MarbleEvent], lanes: [String] = [], from: Int64? = nil, to: Int64? = nil,
        offset: @escaping @Sendable (Int64) -> Int = { _ in 0 }
    ) {
        self.title = title
        self.offset = offset
        let start = from ?? events.map(\.time).min() ?? 0
        let end = max(start, to ?? events.map(\.time).max() ?? start)
        (self.from, self.to) = (start, end)
        var names = lanes
        var known = Set(lanes)
        let ordered = events.enumerated().sorted { ($0.element.time, $0.offset) < ($1.element.time, $1.offset) }
            .map(\.element)
        var byLane: [String: [MarbleEvent]] = [:]
        for event in ordered where event.time <= end {
            byLane[event.lane, default: []].append(event)
            if event.time >= start && known.insert(event.lane).inserted { names.append(event.lane) }
        }
        self.lanes = names.prefix(Self.mostLanes).map { name in
            MarbleLane(name: name, events: byLane[name] ?? [], from: start, to: end)
        }
        omittedLanes = max(0, names.count - Self.mostLanes)
    }

    /// All times at which something is drawn, in order.
    var instants: [Int64] {
        var times: Set<Int64> = [from, to]
        for lane in lanes {
            for row in [lane.marks] + lane.forks.map(\.marks) { for mark in row { times.insert(mark.time) } }
            for bar in lane.executing + lane.forks.flatMap(\.bars) {
                times.formUnion([bar.start, bar.end].compactMap { $0 })
            }
        }
        return times.sorted()
    }

    /// The first line of a picture: what it shows, and when.
    var heading: String {
        let first = LocalTime(from, offset: offset(from))
        let last = LocalTime(to, offset: offset(to))
        let end = first.date == last.date ? last.clock : "\(last.date) \(last.clock)"
        return "\(title.oneLine) · \(first.date) \(first.clock) to \(end) \(last.zone)"
    }
}
