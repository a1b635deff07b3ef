/// A key that was pressed, or a text that was pasted.
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
    /// A text from the clipboard, in one line: it has spaces for ends of lines and tabs, and no control characters.
    case paste(String)
}
