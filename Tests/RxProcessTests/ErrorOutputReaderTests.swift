import RxHost
import Testing

@testable import RxProcess

/// The lines of standard error, as they go to the journal.
struct ErrorOutputReaderTests {
    private static func lines(_ text: String, limit: Int = 8192, without secrets: [String] = []) -> [String] {
        var limits = ProcessLimits()
        limits.errorLineBytes = limit
        var reader = ErrorOutputReader(limits: limits, secrets: SecretMask(secrets))
        var lines: [String] = []
        // Byte by byte, as pipes may deliver it.
        for byte in text.utf8 { withUnsafeBytes(of: byte) { reader.push($0) { lines.append($0) } } }
        reader.finish { lines.append($0) }
        return lines
    }

    @Test("a secret is replaced in each line, as it is, as JSON, and line by line")
    func secrets() {
        #expect(
            Self.lines("as hunter2!\nplain\nand hunter2", without: ["hunter2"])
                == ["as [redacted]!", "plain", "and [redacted]"])
        #expect(Self.lines(#"{"k":"a\"b\"c"}"#, without: [#"a"b"c"#]) == [#"{"k":"[redacted]"}"#])
        #expect(
            Self.lines("key:\nBEGIN\nabcdef\nEND\nover\n", without: ["BEGIN\nabcdef\nEND\n"])
                == ["key:", "[redacted]", "[redacted]", "[redacted]", "over"])
        #expect(Self.lines("everything", without: [String(repeating: "x", count: 1 << 20)]) == ["[redacted]"])
    }

    @Test("a secret that the end of a record cuts in two is replaced in both")
    func cut() {
        #expect(Self.lines("1234hunter2\nx", limit: 8, without: ["hunter2"]) == ["1234[redacted]", "[redacted]", "x"])
        // Without secrets, a record is a piece of the line.
        #expect(Self.lines("1234hunter2\nx", limit: 8) == ["1234hunt", "er2", "x"])
    }
}
