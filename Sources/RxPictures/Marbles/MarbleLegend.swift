/// The letters and the remarkable marks of a picture, each with its time and what it stands for.
struct MarbleLegend {
    private static let text = 13
    private static let lineHeight = 22

    let letters: Letters
    let offset: @Sendable (Int64) -> Int

    /// - Returns: where the next line may begin.
    func draw(on drawing: inout Drawing, x left: Int, y top: Int, width: Int) -> Int {
        var y = letters.rows.isEmpty ? top : top + 12
        let days = Set(letters.rows.map { LocalTime($0.time, offset: offset($0.time)).date })
        for row in letters.rows {
            let local = LocalTime(row.time, offset: offset(row.time))
            let time = days.count > 1 ? "\(local.date) \(local.fineClock)" : local.fineClock
            if row.kind == .element {
                drawing.add(
                    Drawing.Label(
                        text: row.symbol, x: left + 12, y: y + 14, size: Self.text + 1, isBold: true, anchor: .middle))
            } else {
                MarbleShape.draw(row.kind, at: Point(x: left + 12, y: y + 10), on: &drawing)
            }
            drawing.add(Drawing.Label(text: time, x: left + 40, y: y + 14, size: Self.text, style: "dim"))
            let after = 40 + TextWidth.pixels(time, size: Self.text) + 16
            let text = TextWidth.cut(row.text, to: width - after, size: Self.text)
            drawing.add(Drawing.Label(text: text, x: left + after, y: y + 14, size: Self.text))
            y += Self.lineHeight
        }
        if letters.omitted > 0 {
            drawing.add(
                Drawing.Label(
                    text: "\(letters.omitted) more", x: left + 40, y: y + 14, size: Self.text, style: "dim"))
            y += Self.lineHeight
        }
        return y
    }
}
