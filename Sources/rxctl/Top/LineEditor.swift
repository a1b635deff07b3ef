internal import RxTerminal

/// One line that is being typed.
struct LineEditor: Equatable {
    /// More characters than anyone types; the daemon limits a reason to 1024 bytes.
    private static let longest = 4096

    private(set) var text: String
    /// The number of characters before the cursor.
    private(set) var cursor: Int

    init(_ text: String = "") {
        self.text = text
        cursor = text.count
    }

    /// - Returns: whether the key edits.
    mutating func press(_ key: Key) -> Bool {
        var characters = Array(text)
        switch key {
        case .character(let character): insert([character], into: &characters)
        case .paste(let text): insert(Array(text), into: &characters)
        case .backspace:
            guard cursor > 0 else { return true }
            cursor -= 1
            characters.remove(at: cursor)
        case .delete:
            guard cursor < characters.count else { return true }
            characters.remove(at: cursor)
        case .control("u"):
            characters.removeFirst(cursor)
            cursor = 0
        case .left: cursor = max(0, cursor - 1)
        case .right: cursor = min(characters.count, cursor + 1)
        case .home, .control("a"): cursor = 0
        case .end, .control("e"): cursor = characters.count
        case .control, .enter, .escape, .tab, .backTab, .up, .down, .pageUp, .pageDown: return false
        }
        text = String(characters)
        cursor = min(cursor, text.count)
        return true
    }

    private mutating func insert(_ typed: [Character], into characters: inout [Character]) {
        let typed = typed.prefix(max(0, Self.longest - characters.count))
        characters.insert(contentsOf: typed, at: cursor)
        // A combining mark joins the character before it.
        cursor = String(characters[..<(cursor + typed.count)]).count
    }

    /// The part of the text that fits, with the cursor in it, and the cells before the cursor.
    func shown(_ cells: Int) -> (text: String, cursor: Int) {
        let characters = Array(text)
        var first = cursor
        var before = 0
        while first > 0, before + CellWidth.of(characters[first - 1]) < cells {
            first -= 1
            before += CellWidth.of(characters[first])
        }
        return (String(characters[first...]), before)
    }
}
