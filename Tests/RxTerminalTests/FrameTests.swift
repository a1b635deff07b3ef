import RxTerminal
import Testing

@Suite struct FrameTests {
    @Test func aFrameIsWhatWasPutIntoIt() {
        var frame = Frame(columns: 12, rows: 3)
        #expect(frame.put("deploy", row: 0, column: 2) == 8)
        frame.put("日本語", row: 1, column: 0)
        #expect(frame.text == ["  deploy", "日本語", ""])
    }

    @Test func textIsCutAtTheEdge() {
        var frame = Frame(columns: 5, rows: 1)
        #expect(frame.put("deploy", row: 0, column: 2) == 5)
        #expect(frame.text == ["  dep"])
    }

    @Test func aWideCharacterThatDoesNotFitIsLeftOut() {
        var frame = Frame(columns: 3, rows: 1)
        frame.put("日本", row: 0, column: 0)
        #expect(frame.text == ["日"])
    }

    @Test func theOtherHalfOfAWideCharacterBecomesASpace() {
        var frame = Frame(columns: 4, rows: 1)
        frame.put("日本", row: 0, column: 0)
        frame.put("x", row: 0, column: 1)
        frame.put("y", row: 0, column: 2)
        #expect(frame.text == [" xy"])
    }

    @Test func whatIsOutsideIsIgnored() {
        var frame = Frame(columns: 4, rows: 1)
        frame.put("x", row: 1, column: 0)
        frame.put("x", row: -1, column: 0)
        frame.put("x", row: 0, column: 9)
        frame.put("x", row: 0, column: -1)
        #expect(frame.text == [""])
    }

    @Test(arguments: ["\u{1B}[2J", "a\u{7}", "\u{9B}31m", "\u{202E}abc", "\u{2028}"])
    func aTextCannotControlTheTerminal(text: String) {
        var frame = Frame(columns: 10, rows: 1)
        frame.put(text, row: 0, column: 0)
        let shown = frame.text[0]
        #expect(shown.unicodeScalars.allSatisfy { $0.value >= 0x20 && !(0x7F..<0xA0).contains($0.value) })
        #expect(!shown.contains("\u{202E}") && !shown.contains("\u{2028}"))
    }

    @Test func aFrameHasALeastAndALargestSize() {
        #expect(Frame(columns: 0, rows: -1).text == [""])
        #expect(Frame(columns: 100_000, rows: 2).columns == Frame.mostCells)
    }

    @Test func styledTextSelectsEachStyleAndEndsPlain() {
        var frame = Frame(columns: 8, rows: 1)
        frame.put("a", row: 0, column: 0, Style(.red, bold: true))
        frame.put("b", row: 0, column: 1)
        frame.put("c", row: 0, column: 2, .dim)
        #expect(frame.styledText(colors: true) == ["\u{1B}[0;1;31ma\u{1B}[0mb\u{1B}[0;2mc\u{1B}[0m"])
        #expect(frame.styledText(colors: false) == ["\u{1B}[0;1ma\u{1B}[0mb\u{1B}[0;2mc\u{1B}[0m"])
        #expect(frame.text == ["abc"])
    }
}
