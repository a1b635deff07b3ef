/// The cells of a terminal that a text takes: 1 for most characters, 2 for East Asian wide ones and emoji, 0 for
/// combining marks.
///
/// A character is a grapheme cluster: an emoji with a skin tone, a flag, or a family takes 2 cells as a whole.
/// Control characters take none; remove them before a text reaches a terminal.
public enum CellWidth {
    /// The text followed by spaces, or cut with `…`, so that it takes exactly `cells`.
    public static func fit(_ text: String, _ cells: Int) -> String {
        let cut = cut(text, cells)
        return cut + String(repeating: " ", count: max(0, cells - of(cut)))
    }

    /// The text if it takes at most `cells`, otherwise its longest beginning that leaves room for a `…`, and the `…`;
    /// empty if `cells` is 0 or less.
    public static func cut(_ text: String, _ cells: Int) -> String {
        guard cells > 0 else { return "" }
        var total = 0
        var end = text.startIndex
        for index in text.indices {
            total += of(text[index])
            if total > cells { return text[..<end] + "…" }
            if total < cells { end = text.index(after: index) }
        }
        return text
    }

    /// The cells of a text.
    public static func of(_ text: String) -> Int {
        let utf8 = text.utf8
        if utf8.allSatisfy({ (0x20...0x7E).contains($0) }) { return utf8.count }
        return text.reduce(0) { $0 + of($1) }
    }

    /// The cells of one character: 0, 1, or 2.
    public static func of(_ character: Character) -> Int {
        if let ascii = character.asciiValue { return (0x20...0x7E).contains(ascii) ? 1 : 0 }
        let scalars = character.unicodeScalars
        // A variation selector makes a text an emoji, such as the heart U+2764.
        if scalars.contains("\u{FE0F}") { return 2 }
        return min(2, scalars.reduce(0) { $0 + of($1) })
    }

    private static func of(_ scalar: Unicode.Scalar) -> Int {
        if scalar.value < 0x300 { return scalar.value < 0x20 || (0x7F..<0xA0).contains(scalar.value) ? 0 : 1 }
        if hangulEndings.contains(scalar.value) { return 0 }
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format, .control, .lineSeparator, .paragraphSeparator: return 0
        default: return isWide(scalar) ? 2 : 1
        }
    }

    /// Medial vowels and final consonants are part of the syllable before them.
    private static let hangulEndings: ClosedRange<UInt32> = 0x1160...0x11FF
    /// Two of them make a flag.
    private static let regionalIndicators: ClosedRange<UInt32> = 0x1F1E6...0x1F1FF

    private static func isWide(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.properties.isEmojiPresentation { return !regionalIndicators.contains(scalar.value) }
        guard scalar.value >= wide[0].lowerBound else { return false }
        var low = 0
        var high = wide.count
        while low < high {
            let middle = (low + high) / 2
            if wide[middle].upperBound < scalar.value { low = middle + 1 } else { high = middle }
        }
        return low < wide.count && wide[low].contains(scalar.value)
    }

    /// The blocks of Unicode 15 with the East Asian width W or F, without the emoji, in order. Code points of a block
    /// that are unassigned count as the block does.
    private static let wide: [ClosedRange<UInt32>] = [
        0x1100...0x115F, 0x2329...0x232A, 0x2E80...0x303E, 0x3041...0x3247, 0x3250...0x4DBF, 0x4E00...0xA4CF,
        0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE10...0xFE19, 0xFE30...0xFE6F, 0xFF01...0xFF60,
        0xFFE0...0xFFE6, 0x16FE0...0x18DFF, 0x1AFF0...0x1B2FF, 0x1F200...0x1F265, 0x20000...0x3FFFD,
    ]
}
