import Testing

@testable import Systemd

@Suite("LogLine")
struct LogLineTests {
    @Test(
        "control characters are written out, all else stays",
        arguments: [
            ("plain ü 漢", "plain ü 漢"), ("a\nb", #"a\nb"#), ("a\r\nb", #"a\r\nb"#), ("\u{1B}[31m", #"\u{1b}[31m"#),
            ("a\tb\u{0}", #"a\tb\u{0}"#),
        ])
    func escapes(text: String, line: String) {
        #expect(LogLine.escaped(text) == line)
    }

    @Test(
        "a value is quoted where its end could not be recognized",
        arguments: [
            ("deploy", "deploy"), ("", "\"\""), ("a b", "\"a b\""), ("a=b", "\"a=b\""),
            ("say \"hi\"", #""say \"hi\"""#),
        ])
    func quotes(text: String, line: String) {
        #expect(LogLine.quoted(text) == line)
    }
}
