/// A failure as lines of at most 80 columns.
struct FailureText {
    let lines: [String]

    private static let width = 80
    private static let heading = 12

    init(_ failure: StreamTestFailure) {
        let texts = [failure.expected, failure.actual].map { Array($0.description) }
        // Both texts are the same up to the first difference.
        let column = zip(texts[0], texts[1]).prefix { $0 == $1 }.count
        let room = Self.width - Self.heading
        let isLong = texts.contains { $0.count > room }
        let first = isLong ? max(0, column - room / 2) : 0
        let shown = texts.map { text in
            var part = String(text.dropFirst(first).prefix(room))
            if first > 0 { part = "…" + part.dropFirst() }
            if text.count > first + room { part = part.dropLast() + "…" }
            return part
        }
        lines =
            [
                "  expected  " + shown[0], "  actual    " + shown[1],
                String(repeating: " ", count: Self.heading + column - first) + "^",
            ] + TextLines(failure.difference, indent: 2).lines
    }
}
