/// Estimates how wide a text is in a sans-serif font.
///
/// The widths are those of DejaVu Sans, one of the widest that a browser may choose, so that a text takes less space
/// than estimated in almost every font.
enum TextWidth {
    /// The width of each character from U+0020 to U+007E, in thousandths of the font's size.
    private static let ascii = [
        317, 400, 459, 837, 636, 950, 779, 274, 390, 390, 500, 837, 317, 360, 317, 336, 636, 636, 636, 636, 636, 636,
        636, 636, 636, 636, 336, 336, 837, 837, 837, 530, 1000, 684, 686, 698, 770, 631, 575, 774, 751, 294, 294, 655,
        557, 862, 748, 787, 603, 787, 694, 634, 610, 731, 684, 988, 685, 610, 685, 390, 336, 390, 837, 500, 500, 612,
        634, 549, 634, 615, 352, 634, 633, 277, 277, 579, 277, 974, 633, 611, 634, 634, 411, 520, 392, 633, 591, 817,
        591, 591, 524, 636, 336, 636, 837,
    ]
    /// A letter of another alphabet, or a symbol: wider than almost all of them.
    private static let other = 850
    /// An ideograph takes a square; emoji are wider than that in some fonts.
    private static let wide = 1300
    /// The bold face is up to this much wider, in percent, over a few letters.
    private static let bold = 116
    private static let ellipsis = 1000

    /// The width of a character, in thousandths of the font's size.
    private static func thousandths(_ character: Character) -> Int {
        if let value = character.unicodeScalars.first?.value, (0x20...0x7E).contains(value) {
            return ascii[Int(value) - 0x20]
        }
        if character == "…" { return ellipsis }
        return switch character.columns {
        case 0: 0
        case 1: other
        // A font without a glyph for joined emoji draws them side by side.
        default: wide * max(1, character.unicodeScalars.count { $0.isWide })
        }
    }

    /// The estimated width of a text, in pixels, rounded up.
    static func pixels(_ text: String, size: Int, isBold: Bool = false) -> Int {
        let sum = text.reduce(0) { $0 + thousandths($1) }
        return (sum * size * (isBold ? bold : 100) + 99_999) / 100_000
    }

    /// The text cut to at most `most` pixels; a cut text ends in an ellipsis.
    static func cut(_ text: String, to most: Int, size: Int, isBold: Bool = false) -> String {
        text.cut(to: most * 100_000 / (size * (isBold ? bold : 100)), ellipsis: ellipsis, thousandths)
    }
}
