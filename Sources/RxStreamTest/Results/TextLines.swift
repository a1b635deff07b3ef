/// A text as lines of at most 80 columns, of which there are at most six.
struct TextLines {
    let lines: [String]

    private static let width = 80
    private static let most = 6

    init(_ text: String, indent: Int) {
        let margin = String(repeating: " ", count: indent)
        var lines: [String] = []
        var line = ""
        func end() {
            if !line.isEmpty { lines.append(margin + line) }
            line = ""
        }
        for word in text.split(separator: " ") {
            var word = word[...]
            if line.count + 1 + word.count > Self.width - indent { end() }
            while word.count > Self.width - indent {
                lines.append(margin + word.prefix(Self.width - indent))
                word = word.dropFirst(Self.width - indent)
            }
            line += (line.isEmpty ? "" : " ") + word
        }
        end()
        if lines.count > Self.most { lines = lines.prefix(Self.most - 1) + [margin + "…"] }
        self.lines = lines
    }
}
