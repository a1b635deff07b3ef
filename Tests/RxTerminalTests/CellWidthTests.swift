import RxTerminal
import Testing

@Suite struct CellWidthTests {
    @Test(arguments: [
        ("deploy", 6), ("", 0), ("naïve", 5), ("e\u{301}", 1), ("日本語", 6), ("한글", 4), ("ﾊﾟ", 2), ("Ａ", 2),
        ("😀", 2), ("👍🏽", 2), ("👨‍👩‍👧", 2), ("🇯🇵", 2), ("❤️", 2), ("❤", 1), ("1️⃣", 2), ("▁█✗●◆▸─│…", 9),
        ("\u{200B}", 0),
        ("\u{1160}", 0), ("नि", 2), ("ก็", 1), ("☃", 1), ("⌚", 2), ("〒", 2), ("𠮷", 2), ("🇯", 1), ("\t\u{7}", 0),
    ])
    func aTextTakesSoManyCells(text: String, cells: Int) {
        #expect(CellWidth.of(text) == cells, "\(text)")
    }

    @Test func whatFitsIsNotCut() {
        #expect(CellWidth.cut("deploy", 6) == "deploy")
        #expect(CellWidth.cut("日本", 4) == "日本")
        #expect(CellWidth.cut("", 0) == "")
    }

    @Test func whatDoesNotFitIsCutWithAnEllipsis() {
        #expect(CellWidth.cut("deploy", 5) == "depl…")
        #expect(CellWidth.cut("deploy", 1) == "…")
        #expect(CellWidth.cut("deploy", 0) == "")
        #expect(CellWidth.cut("deploy", -1) == "")
    }

    @Test func aWideCharacterIsNotHalved() {
        #expect(CellWidth.cut("日本語", 5) == "日本…")
        #expect(CellWidth.cut("日本語", 4) == "日…")
        #expect(CellWidth.cut("日本語", 2) == "…")
    }

    @Test func anEmojiOfSeveralScalarsIsNotTakenApart() {
        #expect(CellWidth.cut("👨‍👩‍👧👨‍👩‍👧", 3) == "👨‍👩‍👧…")
    }

    @Test(arguments: ["deploy", "日本語", "👨‍👩‍👧 family", "e\u{301}te\u{301}", ""], [0, 1, 2, 3, 5, 8, 20])
    func aFittedTextTakesExactlyItsCells(text: String, cells: Int) {
        #expect(CellWidth.of(CellWidth.fit(text, cells)) == cells)
    }
}
