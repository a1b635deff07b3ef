import RxJSON
import Testing

struct TerminalTextTests {
    private func line(_ text: String, forTerminal: Bool) -> String {
        String(decoding: RawJSON(unchecked: Array(text.utf8)).line(forTerminal: forTerminal), as: UTF8.self)
    }

    /// DEL, the first and the last C1 control, and the characters next to them.
    private let text = "{\"~\u{7F}\u{80}\": \"\u{9F}\u{A0}\u{BF}\u{C2}\u{9B}31m\u{20AC}\"}"

    @Test("on a terminal, DEL and the C1 controls are escaped, and nothing else is")
    func terminal() throws {
        let escaped = line(text, forTerminal: true)
        #expect(
            escaped == "{\"~\\u007f\\u0080\":\"\\u009f\u{A0}\u{BF}\u{C2}\\u009b31m\u{20AC}\"}")
        #expect(try RawJSON(validating: escaped).value() == RawJSON(validating: text).value())
    }

    @Test("for a program, the text stays as it is")
    func program() {
        #expect(line(text, forTerminal: false) == text.replacing(": ", with: ":"))
    }
}
