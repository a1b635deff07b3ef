/// A key that was pressed.
public enum Key: Hashable, Sendable {
    /// A character, as it is typed; a space is one, too.
    case character(Character)
    /// A letter in lower case together with Ctrl.
    case control(Character)
    /// Keys of their own.
    case enter, escape, backspace, delete, tab, backTab
    /// The arrows.
    case up, down, left, right
    /// The keys above the arrows.
    case home, end, pageUp, pageDown
}
