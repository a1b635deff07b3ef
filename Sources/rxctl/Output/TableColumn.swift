/// A column of a table: its title, and what becomes of it when the terminal is narrow.
struct TableColumn {
    enum Importance: Comparable {
        /// Left out before anything is abbreviated.
        case extra
        /// Left out when the rest does not fit, the lowest number first.
        case optional(Int)
        /// Always there.
        case required
    }

    let title: String
    let importance: Importance
    /// The cells to which it shrinks before another column is left out; nil if it does not shrink before that.
    let least: Int?
    /// The title above abbreviations, which are used before a column that is not extra is left out; nil for a column
    /// without abbreviations.
    let brief: String?
    /// Whether its texts end below each other, as numbers do.
    let alignsRight: Bool
    /// Whether it is there even if all of its cells are empty.
    let showsEmpty: Bool

    init(
        _ title: String, _ importance: Importance = .required, least: Int? = nil, brief: String? = nil,
        alignsRight: Bool = false, showsEmpty: Bool = false
    ) {
        self.title = title
        self.importance = importance
        self.least = least
        self.brief = brief
        self.alignsRight = alignsRight
        self.showsEmpty = showsEmpty
    }
}
