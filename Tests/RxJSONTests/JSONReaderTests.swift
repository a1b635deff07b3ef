import RxJSON
import Testing

struct JSONReaderTests {
    @Test("nothing, and white space only, is an empty text", arguments: ["", " ", "\n\r\t  "])
    func empty(text: String) {
        #expect(refusal(text)?.kind == .empty)
    }

    @Test("a fault of syntax has its place")
    func offset() {
        #expect(refusal("{\"a\" 1}")?.offset == 5)
        #expect(refusal("[1,,2]")?.offset == 3)
        #expect(refusal("[1] x")?.offset == 4)
        #expect(refusal("[1")?.offset == 2)
        #expect(refusal("[\"ab\\q\"]")?.offset == 5)
        #expect(refusal("\u{FEFF}{}")?.offset == 0)
    }

    @Test(
        "what ends in the midst of something is refused, whatever lies behind it in memory",
        arguments: ["{\"a\":[[0", "[t", "[tru", "[fals", "[n", "[-", "[[1,2", "{\"a\":1", "{\"a\":tr}", "[nul]", "[1}"])
    func unfinished(text: String) throws {
        for rest in ["", "0", "e", "true]}", "1]]}", "]", "}", "ull]"] {
            let bytes = Array((text + rest).utf8)
            #expect(throws: JSONError.self) { try RawJSON(validating: bytes[..<text.utf8.count]) }
        }
    }

    @Test("a byte order mark is refused by name")
    func byteOrderMark() {
        #expect(refusal("\u{FEFF}{}")?.message == "a byte order mark before the text")
    }

    @Test(
        "what is not UTF-8 is refused, in strings and outside",
        arguments: [
            ([0x22, 0xFF, 0x22], 1), ([0x22, 0x80, 0x22], 1), ([0x22, 0xC3, 0x22], 1), ([0x22, 0xC0, 0x80, 0x22], 1),
            ([0x22, 0x61, 0xED, 0xA0, 0x80, 0x22], 2), ([0x22, 0xF4, 0x90, 0x80, 0x80, 0x22], 1),
            ([0x22, 0xE2, 0x82, 0x22], 1), ([0x5B, 0x31, 0x5D, 0xFE], 3),
        ] as [([UInt8], Int)])
    func encoding(bytes: [UInt8], offset: Int) {
        let refused = refusal(bytes)
        #expect(refused?.kind == .encoding)
        #expect(refused?.offset == offset)
    }

    @Test(
        "an escaped surrogate without its pair is refused",
        arguments: [
            #""\ud800""#, #""\udc00""#, #""\udfff\ud800""#, #""\ud83dx""#, #""\ud83d\n""#, #""\ud83d\u0041""#,
            #""\ud83d\ud83d""#, #"{"\ud800":1}"#, #"["\n","\\\ud800"]"#, #""\ud83d\ude00\ude00""#,
        ])
    func surrogates(text: String) {
        #expect(refusal(text)?.kind == .syntax)
        #expect(refusal(text)?.message == "an escaped surrogate without its pair")
    }

    @Test("as many levels as the limit are read, one more is refused")
    func depth() throws {
        let limits = JSONLimits(depth: 5)
        #expect(refusal("[" * 5 + "1" + "]" * 5, limits: limits) == nil)
        #expect(refusal("[" * 6 + "1" + "]" * 6, limits: limits)?.kind == .depth)
        #expect(refusal("{\"a\":" * 5 + "1" + "}" * 5, limits: limits) == nil)
        #expect(refusal("{\"a\":" * 6 + "1" + "}" * 6, limits: limits)?.kind == .depth)
        #expect(refusal("[" * 128 + "1" + "]" * 128) == nil)
        #expect(refusal("[" * 129 + "1" + "]" * 129)?.kind == .depth)
    }

    @Test("a depth limit is never more than what recursion stands")
    func greatestDepth() throws {
        let limits = JSONLimits(depth: 1_000_000)
        #expect(limits.depth == JSONLimits.greatestDepth)
        let text = "[" * limits.depth + "1" + "]" * limits.depth
        let tree = try reading(text, limits: limits) { $0.value() }
        #expect(RawJSON(tree).text == text)
        #expect(refusal("[" + text + "]", limits: limits)?.kind == .depth)
    }

    @Test(
        "a hundred thousand levels are refused for their depth, closed or not",
        arguments: [
            "[" * 100_000, "{\"a\":" * 100_000, "[" * 100_000 + "]" * 100_000,
            "[{\"a\":" * 50_000 + "1" + "}]" * 50_000,
            "[1e400," + "[" * 100_000,
        ])
    func hundredThousandLevels(text: String) {
        #expect(refusal(text)?.kind == .depth)
    }

    @Test("a text as long as the limit is read, one byte more is refused")
    func size() {
        let limits = JSONLimits(bytes: 10)
        #expect(refusal("\"12345678\"", limits: limits) == nil)
        #expect(refusal("\"123456789\"", limits: limits)?.kind == .size)
    }

    @Test(
        "a number out of range is refused by name and place",
        arguments: [
            ("18446744073709551616", ""), ("-9223372036854775809", ""), ("1e400", ""), ("-1E+999", ""),
            ("[0,1e309]", "/1"), ("{\"a\":{\"b\":[true,{\"c\":99999999999999999999}]}}", "/a/b/1/c"),
            ("{\"x/y\":{\"~\":1e400}}", "/x~1y/~0"), ("{\"\\u0061\\\"\":1e400}", "/a\""),
            ("[{},[],\"\",null,1e400,2e400]", "/4"), ("[[1,2],[3],1e400]", "/2"),
            ("{\"a\":[],\"b\":1e400,\"c\":{}}", "/b"), ("1" + "0" * 400, ""), ("1" + "0" * 400 + ".0", ""),
        ])
    func outOfRange(text: String, path: String) throws {
        #expect(refusal(text)?.kind == .number(path: try JSONPointer(path)))
    }

    @Test("a fault of syntax counts more than a number out of range, whichever comes first")
    func syntaxBeforeRange() {
        #expect(refusal("[1e400,}")?.kind == .syntax)
        #expect(refusal("[},1e400]")?.kind == .syntax)
        #expect(refusal("[1e400,\"\\ud800\"]")?.kind == .syntax)
    }

    @Test("a text with a number out of range can still be looked at")
    func lookingInSpite() throws {
        let text = Array("{\"id\": 7, \"big\": [1e400, {\"x\":-1e999}], \"s\": \"\\u0041\"}".utf8)
        let padded = text + [UInt8](repeating: 0, count: JSONReader.padding)
        let reader = JSONReader()
        defer { withExtendedLifetime(reader) {} }
        try padded.withUnsafeBytes { buffer in
            var outOfRange: JSONError?
            let view = try reader.read(UnsafeRawBufferPointer(rebasing: buffer[..<text.count]), outOfRange: &outOfRange)
            #expect(outOfRange?.kind == .number(path: try JSONPointer("/big/0")))
            #expect(view["id"]?.int == 7)
            #expect(view["s"]?.string == "A")
            #expect(view["big"]?[0]?.text == "1e400")
            #expect(view["id"]?.numbersOutOfRange(reporting: 8).isEmpty == true)
            #expect(view.numbersOutOfRange(reporting: 8).map(\.path.description) == ["/big/0", "/big/1/x"])
            #expect(view["big"]?.numbersOutOfRange(reporting: 1).map(\.path.description) == ["/0"])
        }
    }

    @Test("one reader reads small and large texts in any order")
    func reuse() throws {
        let reader = JSONReader()
        defer { withExtendedLifetime(reader) {} }
        for count in [1, 5000, 3, 300_000, 70_000, 2, 0, 300_000, 1] {
            let text = Array("[\((0..<count).map { _ in "1" }.joined(separator: ","))]".utf8)
            let padded = text + [UInt8](repeating: 0, count: JSONReader.padding)
            try padded.withUnsafeBytes { buffer in
                let view = try reader.read(UnsafeRawBufferPointer(rebasing: buffer[..<text.count]))
                #expect(view.elements.reduce(0) { sum, _ in sum + 1 } == count)
            }
        }
    }

    @Test("a refused text leaves the reader ready for the next")
    func afterRefusal() throws {
        let reader = JSONReader()
        defer { withExtendedLifetime(reader) {} }
        for (text, isValid) in [("[1", false), ("[1]", true), ("\"\u{1}\"", false), ("", false), ("{}", true)] {
            let bytes = Array(text.utf8)
            let padded = bytes + [UInt8](repeating: 0, count: JSONReader.padding)
            padded.withUnsafeBytes { buffer in
                let view = try? reader.read(UnsafeRawBufferPointer(rebasing: buffer[..<bytes.count]))
                #expect((view != nil) == isValid)
            }
        }
    }
}
