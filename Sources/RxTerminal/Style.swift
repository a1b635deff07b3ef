/// How a cell looks. Colors are the terminal's own, so that they suit its background; a meaning never depends on the
/// color alone.
public struct Style: Hashable, Sendable {
    /// One of the terminal's colors, by its number in SGR.
    public enum Color: UInt8, Sendable {
        /// The colors that differ enough from both dark and light backgrounds.
        case red = 31, green = 32, yellow = 33, blue = 34, magenta = 35, cyan = 36
    }

    /// The color of the text; nil for the terminal's default.
    public var color: Color?
    /// Bold.
    public var isBold: Bool
    /// Less bright.
    public var isDim: Bool
    /// Text and background exchanged.
    public var isReversed: Bool

    /// A style with these properties.
    public init(_ color: Color? = nil, bold: Bool = false, dim: Bool = false, reversed: Bool = false) {
        self.color = color
        isBold = bold
        isDim = dim
        isReversed = reversed
    }

    /// Text as the terminal shows it by default.
    public static let plain = Style()
    /// Bold.
    public static let bold = Style(bold: true)
    /// Less bright.
    public static let dim = Style(dim: true)

    /// This style with the colors of text and background exchanged.
    public var reversed: Style {
        var style = self
        style.isReversed = true
        return style
    }

    /// The escape sequence that selects the style, whatever was selected before.
    ///
    /// - Parameter colors: whether colors are used; without them, what remains is bold, dim, and reversed text.
    public func sequence(colors: Bool) -> String {
        var codes = "0"
        if isBold { codes += ";1" }
        if isDim { codes += ";2" }
        if isReversed { codes += ";7" }
        if colors, let color { codes += ";\(color.rawValue)" }
        return "\u{1B}[\(codes)m"
    }
}
