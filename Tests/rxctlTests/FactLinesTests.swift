import RxJSON
import RxTerminal
import Testing

@testable import rxctl

struct FactLinesTests {
    private func lines(_ text: String, width: Int = 80) throws -> [String] {
        FactLines.lines(of: try RawJSON(validating: text).value(), width: width, isColored: false)
    }

    @Test("facts are listed by their path, strings without quotes")
    func facts() throws {
        #expect(
            try lines(#"{"a":"text","b":{"c":1.0,"d":{}},"e":[1,"x"],"f":null,"g":""}"#) == [
                "a    text", "b.c  1.0", "b.d  {}", #"e    [1,"x"]"#, "f    null", "g",
            ])
        #expect(try lines("{}") == [])
    }

    @Test("an array of objects has a line for each, and so have the lines of a text")
    func several() throws {
        #expect(
            try lines(#"{"steps":[{"step":"1"},{"step":"2"}],"text":"one\ntwo"}"#) == [
                #"steps  {"step":"1"}"#, #"       {"step":"2"}"#, "text   one", "       two",
            ])
    }

    @Test("a long value is folded, after a comma or a space where there is one")
    func folded() throws {
        let text = #"""
            {"text":"one two three four five six seven","json":[1000,2000,3000,4000,5000,6000],
             "x":"012345678901234567890123456789"}
            """#
        let folded = try lines(text, width: 30)
        #expect(
            folded == [
                "text  one two three four five", "      six seven", "json  [1000,2000,3000,4000,", "      5000,6000]",
                "x     012345678901234567890123", "      456789",
            ])
    }

    @Test("no line is wider than the terminal", arguments: 1...60)
    func fits(width: Int) throws {
        let text = #"""
            {"a":"漢字の入力、とても長い 漢字","a very long path with no room":[{"b":"👍🏽👍🏽👍🏽"},{"c":1}],
             "e":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"}
            """#
        for line in try lines(text, width: width) { #expect(CellWidth.of(line) <= max(2, width), "\(line)") }
    }
}
