/// The colors of an SVG picture.
public enum Theme: Sendable {
    /// Light or dark, as the reader's system prefers (`prefers-color-scheme`).
    case automatic
    /// Dark text on white.
    case light
    /// Light text on a dark background.
    case dark
}
