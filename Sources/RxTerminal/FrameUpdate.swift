/// The bytes that change what a terminal shows from one frame to the next: one synchronized update, which a terminal
/// that knows mode 2026 shows at once, and others as it comes.
public struct FrameUpdate: Sendable {
    /// Unchanged cells between two changed ones that are written again, because moving the cursor takes as many bytes.
    private static let leastGap = 6

    /// Whether colors are used.
    public let colors: Bool

    /// - Parameter colors: whether colors are used.
    public init(colors: Bool) { self.colors = colors }

    /// The update; empty if nothing has changed.
    ///
    /// - Parameter old: what the terminal shows; nil if that is unknown, and after a change of its size.
    /// - Parameter new: what it is to show.
    public func bytes(from old: Frame?, to new: Frame) -> [UInt8] {
        let known = old.flatMap { $0.columns == new.columns && $0.rows == new.rows ? $0 : nil }
        if known == new { return [] }
        var text = known == nil ? "\u{1B}[0m\u{1B}[2J" : ""
        for row in 0..<new.rows {
            for run in runs(row, known, new) { write(run, row, new, to: &text) }
        }
        if !text.isEmpty { text += Style.plain.sequence(colors: colors) }
        if let cursor = new.cursor {
            text += "\u{1B}[\(cursor.row + 1);\(cursor.column + 1)H\u{1B}[?25h"
        } else {
            text += "\u{1B}[?25l"
        }
        // Hidden while it moves, on terminals that do not know the mode.
        return Array("\u{1B}[?2026h\u{1B}[?25l\(text)\u{1B}[?2026l".utf8)
    }

    /// The ranges of a row that differ; of all that is not empty, if nothing is known. They do not begin or end within
    /// a wide character.
    private func runs(_ row: Int, _ old: Frame?, _ new: Frame) -> [Range<Int>] {
        var runs: [Range<Int>] = []
        for column in 0..<new.columns where new[row, column] != old?[row, column] ?? .empty {
            var start = column
            var end = column + 1
            while start > 0, new[row, start].character == nil { start -= 1 }
            while end < new.columns, new[row, end].character == nil { end += 1 }
            if let last = runs.last, start - last.upperBound < Self.leastGap {
                runs[runs.count - 1] = last.lowerBound..<max(end, last.upperBound)
            } else {
                runs.append(start..<end)
            }
        }
        return runs
    }

    private func write(_ run: Range<Int>, _ row: Int, _ new: Frame, to text: inout String) {
        text += "\u{1B}[\(row + 1);\(run.lowerBound + 1)H"
        var style: Style?
        for column in run {
            let cell = new[row, column]
            guard let character = cell.character else { continue }
            if cell.style != style {
                text += cell.style.sequence(colors: colors)
                style = cell.style
            }
            text.append(character)
            // Terminals disagree about the width of some characters: the next one goes to its own place.
            let next = column + CellWidth.of(character)
            if next < run.upperBound, CellWidth.mayDiffer(character) { text += "\u{1B}[\(row + 1);\(next + 1)H" }
        }
    }
}

extension CellWidth {
    /// Whether terminals disagree about the width of a character: those of several scalars, and emoji.
    static func mayDiffer(_ character: Character) -> Bool {
        guard let first = character.unicodeScalars.first else { return false }
        return character.unicodeScalars.count > 1 || first.value >= 0x1F000
    }
}
