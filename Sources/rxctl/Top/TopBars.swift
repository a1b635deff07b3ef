internal import RxTerminal

/// The last ends of an action, a cell for each: the height is the duration, compared with the longest of them; what did
/// not complete has a shape of its own.
enum TopBars {
    private static let heights: [Character] = ["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"]

    static func cells(_ ends: [TopEnd]) -> [(character: Character, style: Style)] {
        let longest = ends.compactMap(\.duration).max() ?? 0
        return ends.map { end in
            switch end.state {
            case .completed: (height(end.duration ?? 0, of: longest), Style(.green))
            case .failed, .timedOut: (shape(of: end), Style(.red, bold: true))
            case .cancelled, .interrupted: (shape(of: end), Style(.yellow))
            }
        }
    }

    /// The shape that tables have for this end.
    private static func shape(of end: TopEnd) -> Character {
        Character(StateSymbol.execution(end.state.rawValue).shape)
    }

    /// Eight heights: the longest has the last, and nothing at all the first.
    private static func height(_ duration: Int64, of longest: Int64) -> Character {
        guard longest > 0 else { return heights[0] }
        return heights[min(7, Int(duration * 7 / longest))]
    }
}
