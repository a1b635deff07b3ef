import RxTerminal
import Testing

@Suite struct FrameUpdateTests {
    private let update = FrameUpdate(colors: true)

    private func frame(_ lines: String..., columns: Int = 10) -> Frame {
        var frame = Frame(columns: columns, rows: lines.count)
        for (row, line) in lines.enumerated() { frame.put(line, row: row, column: 0) }
        return frame
    }

    private func text(_ old: Frame?, _ new: Frame) -> String {
        String(decoding: update.bytes(from: old, to: new), as: UTF8.self).replacing("\u{1B}[", with: "^")
    }

    @Test func theFirstFrameClearsTheScreen() {
        #expect(text(nil, frame("ab", "c")) == "^?2026h^?25l^0m^2J^1;1H^0mab^2;1H^0mc^0m^?25l^?2026l")
    }

    @Test func nothingIsWrittenWithoutAChange() {
        #expect(update.bytes(from: frame("ab"), to: frame("ab")).isEmpty)
    }

    @Test func onlyWhatHasChangedIsWritten() {
        #expect(text(frame("abc", "def"), frame("abc", "dxf")) == "^?2026h^?25l^2;2H^0mx^0m^?25l^?2026l")
    }

    @Test func anUpdateIsSynchronized() {
        let bytes = text(frame("a"), frame("b"))
        #expect(bytes.hasPrefix("^?2026h") && bytes.hasSuffix("^?2026l"))
    }

    @Test func twoChangesCloseToEachOtherAreOne() {
        #expect(text(frame("a.b"), frame("x.y")).contains("^1;1H^0mx.y"))
    }

    @Test func twoChangesFarFromEachOtherAreTwo() {
        #expect(text(frame("a........b"), frame("x........y")).contains("^1;1H^0mx^1;10H^0my"))
    }

    @Test func aNewSizeIsANewScreen() {
        #expect(text(frame("abc"), frame("abc", columns: 5)).contains("^2J"))
    }

    @Test func theCursorIsShownWhereItIs() {
        var new = frame("abc")
        new.cursor = (0, 2)
        #expect(text(frame("abc"), new) == "^?2026h^?25l^1;3H^?25h^?2026l")
    }

    @Test func withoutColorsShapesRemain() {
        var new = Frame(columns: 4, rows: 1)
        new.put("✗", row: 0, column: 0, Style(.red, bold: true))
        let bytes = FrameUpdate(colors: false).bytes(from: nil, to: new)
        let text = String(decoding: bytes, as: UTF8.self)
        #expect(text.contains("\u{1B}[0;1m✗"))
        #expect(!text.contains("31"))
    }

    @Test func emojiDoNotMoveWhatFollows() {
        // A terminal that draws the family in another width has the text at its place all the same.
        #expect(text(nil, frame("👨‍👩‍👧abc")).contains("👨‍👩‍👧^1;3Habc"))
    }

    @Test func aTerminalThatObeysShowsEachOfManyFrames() {
        var random = SystemRandomNumberGenerator()
        let words = ["a", "日本", "é", "✗", "👍🏽", "   ", "deploy", "한", "─", "e\u{301}", "🇯🇵"]
        let styles: [Style] = [.plain, .bold, .dim, Style(.red), Style(.green, reversed: true)]
        var terminal = ModelTerminal(columns: 23, rows: 5)
        var shown: Frame?
        for _ in 0..<500 {
            var next = Bool.random(using: &random) ? shown ?? Frame(columns: 23, rows: 5) : Frame(columns: 23, rows: 5)
            for _ in 0..<Int.random(in: 0...12, using: &random) {
                next.put(
                    words.randomElement(using: &random)!, row: .random(in: 0..<5, using: &random),
                    column: .random(in: 0..<23, using: &random), styles.randomElement(using: &random)!)
            }
            next.cursor = Bool.random(using: &random) ? (Int.random(in: 0..<5, using: &random), 3) : nil
            terminal.write(update.bytes(from: shown, to: next))
            shown = next
            #expect(terminal.text == next.text)
            #expect(terminal.cursor.map { [$0.row, $0.column] } == next.cursor.map { [$0.row, $0.column] })
            var fresh = ModelTerminal(columns: 23, rows: 5)
            fresh.write(update.bytes(from: nil, to: next))
            #expect(fresh.cells == terminal.cells)
            #expect(fresh.styles == terminal.styles)
            #expect(fresh.faults.isEmpty && terminal.faults.isEmpty, "\(terminal.faults)")
        }
    }
}
