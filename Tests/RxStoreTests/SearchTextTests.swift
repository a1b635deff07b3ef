import Testing

@testable import RxRecords

@Suite("A search text")
struct SearchTextTests {
    @Test("finds what is there, wherever it is, and nothing else")
    func places() {
        // Every text of up to six letters of two in every one of up to nine.
        func texts(_ length: Int) -> [String] {
            (0..<1 << length).map { number in
                String((0..<length).map { number >> $0 & 1 == 0 ? "a" : "b" })
            }
        }
        for needle in (1...6).flatMap(texts) {
            let search = SearchText(needle)!
            for haystack in (0...9).flatMap(texts) where search.isIn(haystack) != haystack.contains(needle) {
                Issue.record("\(needle) in \(haystack)")
            }
        }
    }

    @Test("is literal; only a text with an upper-case letter is of one case")
    func cases() throws {
        for (text, other, isIn) in [
            ("disk", "the DISK is full", true), ("Disk", "the DISK is full", false), ("DISK", "the DISK is full", true),
            ("größe", "Die GRÖSSE", false), ("größe", "die GRÖßE", true), ("Größe", "die größe", false),
            ("a.b", "axb", false), ("[x]", "a[X]", true), ("@", "`", false), ("{", "[", false),
        ] {
            #expect(try #require(SearchText(text)).isIn(other) == isIn, "\(text) in \(other)")
        }
    }

    @Test("is found in standard error across what replaces a secret, and not across what is missing")
    func replaced() throws {
        func output(_ secret: Int, gap: Int) -> KeptOutput {
            var (head, tail) = (KeptHalf(), KeptHalf())
            KeptErrors.append(Array("ab".utf8), after: 0, to: &head.data)
            KeptErrors.append(Array("[redacted]".utf8), after: 0, replacing: secret, to: &head.data)
            PackedWriter.append(UInt64(2 + secret + gap), to: &tail.data)
            KeptErrors.append(Array("cd".utf8), after: 0, to: &tail.data)
            return KeptOutput(errors: KeptErrors(bytes: 4 + secret + gap, head: head, tail: tail))
        }
        let search = try #require(SearchText("b[redacted]c"))
        for secret in [3, 10, 40] {
            #expect(search.isIn(output(secret, gap: 0)), "\(secret)")
            #expect(!search.isIn(output(secret, gap: 30)), "\(secret)")
        }
    }

    @Test("has 1 to 1024 bytes")
    func lengths() {
        #expect(SearchText("") == nil)
        #expect(SearchText(String(repeating: "a", count: 1025)) == nil)
        let longest = SearchText(String(repeating: "a", count: 1024))
        #expect(longest?.isIn(String(repeating: "a", count: 1023)) == false)
        #expect(longest?.isIn("b" + String(repeating: "a", count: 1024)) == true)
    }
}
