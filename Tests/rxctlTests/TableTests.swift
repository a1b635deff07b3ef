import RxTerminal
import Testing

@testable import rxctl

struct TableTests {
    private static let columns = [
        TableColumn("NAME", least: 6, showsEmpty: true), TableColumn("STATE", brief: "", showsEmpty: true),
        TableColumn("COUNT", .optional(2), alignsRight: true), TableColumn("KIND", .extra),
        TableColumn("TEXT", .optional(1), least: 8),
    ]

    private static let rows: [[TableCell]] = [
        ["a", TableCell("✓ completed", brief: "✓"), "1", "process", "short"],
        ["nightly-backup", TableCell("✕ failed", brief: "✕"), "1200", "builtin", "a text that is not short at all"],
    ]

    private func lines(_ rows: [[TableCell]] = rows, width: Int, _ columns: [TableColumn] = columns) -> [String] {
        var table = Table(columns, isColored: false)
        return table.lines(rows, width: width)
    }

    @Test("columns are aligned, numbers end below each other, and nothing trails")
    func wide() {
        #expect(
            lines(width: 100) == [
                "NAME            STATE        COUNT  KIND     TEXT",
                "a               ✓ completed      1  process  short",
                "nightly-backup  ✕ failed      1200  builtin  a text that is not short at all",
            ])
    }

    @Test("on a narrower terminal, the widest columns that shrink are cut first")
    func cut() {
        #expect(
            lines(width: 60) == [
                "NAME            STATE        COUNT  KIND     TEXT",
                "a               ✓ completed      1  process  short",
                "nightly-backup  ✕ failed      1200  builtin  a text that is…",
            ])
        #expect(
            lines(width: 50) == [
                "NAME       STATE        COUNT  KIND     TEXT",
                "a          ✓ completed      1  process  short",
                "nightly-…  ✕ failed      1200  builtin  a text th…",
            ])
    }

    @Test("then columns that are extra are left out, then states are shapes, then the least important columns go")
    func narrow() {
        #expect(
            lines(width: 40) == [
                "NAME       STATE        COUNT  TEXT",
                "a          ✓ completed      1  short",
                "nightly-…  ✕ failed      1200  a text t…",
            ])
        #expect(
            lines(width: 30) == [
                "NAME          COUNT  TEXT", "a          ✓      1  short", "nightly-…  ✕   1200  a text t…",
            ])
        #expect(lines(width: 20) == ["NAME           COUNT", "a           ✓      1", "nightly-b…  ✕   1200"])
        #expect(lines(width: 10) == ["NAME", "a        ✓", "nightl…  ✕"])
        #expect(lines(width: 4) == ["…", "a  ✓", "…  ✕"])
    }

    @Test("no line is wider than the terminal, whatever the terminal and the texts are", arguments: 1...90)
    func fits(width: Int) {
        let texts = ["", "a", "漢字の入力です", "👩‍👩‍👧 family", "e\u{301}te\u{301}", "🇩🇪🇫🇷", String(repeating: "x", count: 99)]
        for one in texts {
            for other in texts {
                let rows: [[TableCell]] = [
                    [TableCell(one), TableCell("✓ \(other)", brief: "✓"), "12345", TableCell(other), TableCell(one)],
                    [TableCell(other), TableCell("✓ \(one)", brief: "✓"), "1", TableCell(one), TableCell(other)],
                ]
                for line in lines(rows, width: width) { #expect(CellWidth.of(line) <= width, "\(line)") }
            }
        }
    }

    @Test("texts are aligned by the cells that they take, not by their characters")
    func cells() {
        let columns = [TableColumn("A"), TableColumn("B")]
        let lines = lines(
            [["漢字", "1"], ["👍🏽", "2"], ["e\u{301}", "3"], ["abcd", "4"]], width: 80, columns)
        #expect(lines == ["A     B", "漢字  1", "👍🏽    2", "e\u{301}     3", "abcd  4"])
    }

    @Test("an empty column is left out, unless it is to show that it is empty")
    func empty() {
        let columns = [TableColumn("A"), TableColumn("B"), TableColumn("C", showsEmpty: true)]
        #expect(lines([["a", "", ""]], width: 80, columns) == ["A  C", "a"])
        #expect(lines([], width: 80, columns) == ["C"])
    }

    @Test("further rows have no headline, and columns grow as they need; a column that comes later has one")
    func pages() {
        var table = Table([TableColumn("A"), TableColumn("B"), TableColumn("C")], isColored: false)
        #expect(table.lines([["a", "", "c"]], width: 80) == ["A  C", "a  c"])
        #expect(table.lines([["longer", "", "c"]], width: 80) == ["longer  c"])
        #expect(table.lines([], width: 80) == [])
        #expect(table.lines([["a", "b", "c"]], width: 80) == ["A       B  C", "a       b  c"])
    }

    @Test("a text is on one line, and controls neither the terminal nor the direction of writing")
    func controls() {
        let columns = [TableColumn("A"), TableColumn("B")]
        #expect(
            lines([["a\tb\nc\r\nd\u{1B}[2J\u{9B}", "\u{202E}x"]], width: 80, columns)[1]
                == "a b c\u{FFFD} d\u{FFFD}[2J\u{FFFD}  \u{FFFD}x")
    }

    @Test("colors surround texts and take no cells")
    func colors() {
        var table = Table([TableColumn("A"), TableColumn("B")], isColored: true)
        #expect(
            table.lines([[TableCell("a", .red), TableCell("b")], [TableCell("cc"), TableCell("d", .dim)]], width: 80)
                == ["\u{1B}[1mA\u{1B}[m   \u{1B}[1mB\u{1B}[m", "\u{1B}[31ma\u{1B}[m   b", "cc  \u{1B}[2md\u{1B}[m"])
    }

    @Test("rows for a sentence are aligned without a headline, as wide as they are")
    func plain() {
        #expect(
            Table.lines([["a", "enabled", ""], ["longer name", "b", "c d"]])
                == ["a            enabled", "longer name  b        c d"])
    }
}

struct StyleTests {
    @Test("colors are for a terminal that has them, and for users who want them")
    func isShown() {
        func isShown(_ environment: [String: String], onTerminal: Bool = true) -> Bool {
            TextColor.isShown(onTerminal: onTerminal) { environment[$0] }
        }
        #expect(isShown(["TERM": "xterm"]) && isShown([:]) && isShown(["NO_COLOR": ""]))
        #expect(!isShown(["NO_COLOR": "1"]) && !isShown(["NO_COLOR": "0", "TERM": "xterm"]))
        #expect(!isShown(["TERM": "dumb"]) && !isShown(["TERM": "xterm"], onTerminal: false))
    }
}
