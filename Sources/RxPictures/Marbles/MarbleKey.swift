/// What the shapes of a picture mean: only those that occur.
struct MarbleKey {
    private static let text = 13
    private static let lineHeight = 28

    private var entries: [(kind: Mark.Kind?, word: String)] = []

    init(_ counts: [Cluster.Counts], hasBars: Bool) {
        var total = Cluster.Counts()
        for counts in counts { total.add(counts) }
        if total.elements > 0 { entries.append((.element, "element")) }
        for firing in MarbleEvent.Firing.allCases where total.firings[firing] != nil {
            entries.append((.firing(firing), firing.rawValue))
        }
        if total.errors > 0 { entries.append((.error, "error")) }
        if hasBars { entries.append((nil, "executing")) }
        if total.ended > 0 { entries.append((.ended(isGood: true), "succeeded")) }
        if total.endedBadly > 0 { entries.append((.ended(isGood: false), "execution failed")) }
        if total.lost > 0 { entries.append((.lag(0), "events lost")) }
        if total.completed > 0 { entries.append((.completed, "end")) }
    }

    /// - Returns: where the next line may begin.
    func draw(on drawing: inout Drawing, x left: Int, y top: Int, width: Int) -> Int {
        guard !entries.isEmpty else { return top }
        var (x, y) = (left, top)
        for (kind, word) in entries {
            let taken = 30 + TextWidth.pixels(word, size: Self.text) + 20
            if x > left && x + taken > left + width {
                x = left
                y += Self.lineHeight
            }
            if let kind {
                MarbleShape.draw(kind, at: Point(x: x + 12, y: y + 14), on: &drawing)
            } else {
                drawing.add(.box(Box(x: x + 2, y: y + 7, width: 20, height: 14), radius: 4, style: "executing"))
            }
            drawing.add(Drawing.Label(text: word, x: x + 30, y: y + 19, size: Self.text, style: "dim"))
            x += taken
        }
        return y + Self.lineHeight
    }
}
