/// Which columns of a table are shown, and how many cells each one has.
struct TableLayout: Equatable {
    /// The cells between two columns.
    static let gap = 2

    /// The places of the columns that are shown, in order.
    private(set) var columns: [Int]
    /// The cells of each of them.
    private(set) var widths: [Int]
    /// Whether columns that have abbreviations show those.
    private(set) var isBrief: Bool

    /// The first of these that fits: all columns; those that are not extra; the same, abbreviated; without the least
    /// important ones; and the required ones alone, cut as far as it takes.
    ///
    /// - Parameters:
    ///   - full: the cells that each column needs.
    ///   - brief: the same with abbreviations.
    init(_ columns: [TableColumn], full: [Int], brief: [Int], width: Int) {
        let shown = columns.indices.filter { columns[$0].showsEmpty || full[$0] > 0 }
        var attempts = [(shown, false)]
        var rest = shown.filter { columns[$0].importance != .extra }
        attempts += [(rest, false), (rest, true)]
        while let place = rest.filter({ columns[$0].importance != .required })
            .min(by: { columns[$0].importance < columns[$1].importance })
        {
            rest.removeAll { $0 == place }
            attempts.append((rest, true))
        }
        for (places, isBrief) in attempts {
            var attempt = TableLayout(columns: places, full: full, brief: brief, isBrief: isBrief)
            guard attempt.shrink(to: width, least: { columns[places[$0]].least }) else { continue }
            self = attempt
            return
        }
        // Nothing can be left out any more.
        self.init(columns: rest, full: full, brief: brief, isBrief: true)
        if !shrink(to: width, least: { columns[rest[$0]].least }) { _ = shrink(to: width, least: { _ in 1 }) }
    }

    private init(columns: [Int], full: [Int], brief: [Int], isBrief: Bool) {
        self.columns = columns
        self.isBrief = isBrief
        widths = columns.map { isBrief ? brief[$0] : full[$0] }
    }

    /// The cells of a line.
    private var total: Int { widths.reduce(0, +) + Self.gap * max(0, widths.count - 1) }

    /// Takes cells from the widest columns that can shrink, until the line fits.
    ///
    /// - Parameter least: the fewest cells of a column; nil for one that keeps its width.
    /// - Returns: whether it fits.
    private mutating func shrink(to width: Int, least: (Int) -> Int?) -> Bool {
        // None needs more than the line has, so the loop is as short as a line.
        for place in widths.indices where least(place) != nil { widths[place] = min(widths[place], width) }
        while total > width {
            let candidates = widths.indices.filter { widths[$0] > (least($0) ?? Int.max) }
            guard let widest = candidates.max(by: { widths[$0] < widths[$1] }) else { return false }
            widths[widest] -= 1
        }
        return true
    }
}
