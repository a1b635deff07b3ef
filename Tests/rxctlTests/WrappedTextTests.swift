import RxTerminal
import Testing

@testable import rxctl

@Suite("a text in lines")
struct WrappedTextTests {
    @Test("is broken at spaces, and the lines after the first are indented by two")
    func sentences() {
        #expect(WrappedText.lines("short", 80) == ["short"])
        #expect(WrappedText.lines("", 80) == [""])
        #expect(WrappedText.lines("one two three four", 9) == ["one two", "  three", "  four"])
        // The cells count, not the characters.
        #expect(WrappedText.lines("保守 作業中です", 12) == ["保守", "  作業中です"])
    }

    @Test("keeps its columns and its indentation")
    func columns() {
        #expect(WrappedText.lines("  1h ago  a@1  refused", 30) == ["  1h ago  a@1  refused"])
        #expect(WrappedText.lines("  1h ago  the queue is full", 18) == ["  1h ago  the", "    queue is full"])
    }

    @Test("has no line that is wider, also where a word or a character is")
    func narrow() {
        #expect(WrappedText.lines("id 01a21781-5000 end", 8) == ["id", "  01a217", "  81-500", "  0 end"])
        for cells in 2...20 {
            for text in ["  .newui and (.percentage // 100) > 50", "日本語テキスト🚀 こんにちは世界", "a   b"] {
                #expect(WrappedText.lines(text, cells).allSatisfy { CellWidth.of($0) <= max(cells, 3) }, "\(cells)")
            }
        }
    }
}
