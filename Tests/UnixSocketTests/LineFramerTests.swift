import Testing

@testable import UnixSocket

/// What a framer makes of `chunks`, and of the end of input after them; too long lines are "!".
private func frames(_ chunks: [String], limit: Int = 1000) -> [String] {
    var framer = LineFramer(limit: limit)
    var found: [String] = []
    for chunk in chunks {
        Array(chunk.utf8).withUnsafeBytes { bytes in
            var rest = bytes
            collect: while true {
                switch framer.next(&rest) {
                case .line(let line): found.append(String(decoding: line, as: UTF8.self))
                case .tooLong: found.append("!")
                case .none: break collect
                }
            }
            #expect(rest.isEmpty)
        }
    }
    if let line = framer.end() { found.append("\(String(decoding: line, as: UTF8.self))$") }
    return found
}

@Suite("LineFramer")
struct LineFramerTests {
    @Test("lines are the same wherever two cuts fall")
    func cuts() {
        let text = Array("one\r\n\ntwo\n\r\nt\rhree\n{\"a\":1}\nhalf")
        let expected = ["one", "two", "t\rhree", "{\"a\":1}", "half$"]
        for first in 0...text.count {
            for second in first...text.count {
                let chunks = [text[..<first], text[first..<second], text[second...]].map { String($0) }
                #expect(frames(chunks) == expected, "cut at \(first) and \(second)")
            }
        }
    }

    @Test("a line of exactly the limit passes, one more byte does not", arguments: ["\n", "\r\n"])
    func limit(end: String) {
        for cut in 0...6 {
            let (good, bad) = (Array("12345" + end), Array("123456" + end))
            #expect(
                frames([String(good.prefix(cut)), String(good.dropFirst(cut)), "x\n"], limit: 5) == ["12345", "x"])
            #expect(frames([String(bad.prefix(cut)), String(bad.dropFirst(cut)), "x\n"], limit: 5) == ["!", "x"])
        }
    }

    @Test("a line over the limit is reported once, however many pieces it comes in")
    func tooLongOnce() {
        let piece = String(repeating: "x", count: 40)
        #expect(frames(Array(repeating: piece, count: 50) + ["\ngood\n"], limit: 100) == ["!", "good"])
    }

    @Test("a return at the limit that is not the end of the line counts")
    func returnInTheMiddle() {
        #expect(frames(["12345\r", "6\nx\n"], limit: 5) == ["!", "x"])
        #expect(frames(["12345\r", "\nx\n"], limit: 5) == ["12345", "x"])
        #expect(frames(["12345\r", "\r\nx\n"], limit: 5) == ["!", "x"])
    }

    @Test("the end of input inside a line that was too long delivers nothing")
    func endWhileSkipping() {
        #expect(frames(["1234567"], limit: 5) == ["!"])
        #expect(frames(["12345", "\r"], limit: 5) == ["12345$"])
    }

    @Test("lines kept come first and in order, and what is half goes on")
    func keeping() {
        var framer = LineFramer(limit: 100)
        var found: [String] = []
        func drain(_ text: String, _ framer: inout LineFramer) {
            Array(text.utf8).withUnsafeBytes { bytes in
                var rest = bytes
                while case .line(let line) = framer.next(&rest) { found.append(String(decoding: line, as: UTF8.self)) }
            }
        }
        Array("two\nthree\nfo".utf8).withUnsafeBytes { framer.keep($0) }
        var mayHoldLines = framer.mayHoldLines
        #expect(mayHoldLines)
        drain("", &framer)
        #expect(found == ["two", "three"])
        mayHoldLines = framer.mayHoldLines
        #expect(!mayHoldLines)
        drain("ur\nfive\n", &framer)
        #expect(found == ["two", "three", "four", "five"])
    }

    @Test("half a line kept while nobody wants it is held to the limit when it is looked at")
    func keptOverLimit() {
        var framer = LineFramer(limit: 5)
        Array("a\n1234567".utf8).withUnsafeBytes { framer.keep($0) }
        var none = UnsafeRawBufferPointer(start: nil, count: 0)
        guard case .line(let line) = framer.next(&none) else { Issue.record("no line"); return }
        #expect(String(decoding: line, as: UTF8.self) == "a")
        guard case .tooLong = framer.next(&none) else { Issue.record("not too long"); return }
        guard case .none = framer.next(&none) else { Issue.record("more than once"); return }
    }

    @Test("NUL and bytes that are no UTF-8 are just bytes")
    func bytes() {
        var framer = LineFramer(limit: 100)
        let input: [UInt8] = [0, 0xFF, 0xC0, 0x0A]
        input.withUnsafeBytes { bytes in
            var rest = bytes
            guard case .line(let line) = framer.next(&rest) else { Issue.record("no line"); return }
            #expect(Array(line) == [0, 0xFF, 0xC0])
        }
    }
}
