import RxJSON
import Testing

/// Which texts are JSON, by RFC 8259.
struct JSONGrammarTests {
    static let valid: [String] = [
        "null", "true", "false", "0", "-0", "7", "-12", "10", "0.5", "-0.0", "1.25", "3e4", "3E4", "3e+4", "3e-4",
        "1.5E-10", "0e0", "0.0e-0", "1e308", "-1e308", "1e-400", "4.9e-324", "9223372036854775807",
        "-9223372036854775808", "18446744073709551615", "123456789012345678901234567890.5",
        "0.1234567890123456789012345678901234567890", "\"\"", "\"a\"", "\" \"", "\"\u{7F}\"", "\"\u{80}\"",
        "\"\u{2028}\"", "\"\u{10FFFF}\"", "\"\u{FEFF}\"", #""\"\\\/\b\f\n\r\t""#, #""\u0000""#, #""\u00e9\u00E9""#,
        #""\ud83d\ude00""#, #""\uD83D\uDE00""#, #""\\u12""#, #""\\ud800""#, #""\uFFFF""#, "[]", "{}", "[ ]", "{ }",
        "[[]]", "[{}]", "{\"\":{}}", "[1]", "[1,2]", "[ 1 , 2 ]", "[\n1\t,\r2]", "{\"a\":1}", "{ \"a\" : 1 }",
        "{\"a\":1,\"b\":2}", "{\"a\":1,\"a\":2}", "{\"\":0}", "[null,true,false,0,\"\",[],{}]", "  1  ",
        "\t\n\r null \r\n",
        "[\"]\",\"}\",\",\",\":\"]", "{\"[\":\"{\"}", "[1e1,1E1,1e01,1e-01]",
    ]

    static let invalid: [String] = [
        "nul", "nulll", "null0", "NULL", "True", "tru", "falsee", "undefined", "NaN", "Infinity", "-Infinity", "-",
        "+1",
        "01", "-01", "00", "1.", ".5", "-.5", "1.e1", "1e", "1e+", "1e-", "1E1.5", "0x10", "1_000", "1,000", "--1",
        "1 2",
        "1-", "\"", "\"a", "a\"", "'a'", "\"\\\"", "\"\\x41\"", "\"\\u12\"", "\"\\u12G4\"", "\"\\U0041\"", "\"\\ \"",
        "\"\\0\"", "\"\n\"", "\"\t\"", "\"\u{0}\"", "\"\u{1F}\"", "\"a\" \"b\"", "\"\"x", "[", "]", "[1", "1]", "[1,",
        "[,1]",
        "[1,]", "[,]", "[1 2]", "[1,,2]", "[1:2]", "[}", "{]", "{", "}", "{\"a\"", "{\"a\":", "{\"a\":1", "{\"a\":1,",
        "{\"a\":1,}", "{,}", "{\"a\"}", "{\"a\",1}", "{\"a\":1 \"b\":2}", "{\"a\":1:2}", "{a:1}", "{1:1}", "{null:1}",
        "{\"a\"::1}", "{[]:1}", "[] []", "{}{}", "[]]", "{}}", "[1]x", "// c\n1", "[1/*c*/]", "\u{FEFF}1", "\u{A0}1",
        "\u{0}", "1\u{0}", "[1]\u{0}", "\u{C}1", "[1\u{B},2]", "nullnull", "[nullnull]", "[\"a\"\"b\"]", "[1\"a\"]",
        "[true1]", "[1true]", "{\"a\"1}", "GET / HTTP/1.1",
    ]

    @Test("a valid text is accepted, whatever follows it in the buffer", arguments: valid)
    func accepts(text: String) {
        for padding in [UInt8(ascii: "1"), UInt8(ascii: "\""), UInt8(ascii: "]"), UInt8(ascii: "e"), 0xFF, 0] {
            #expect(refusal(Array(text.utf8), padding: padding) == nil)
        }
    }

    @Test("an invalid text is refused as a fault of syntax, whatever follows it in the buffer", arguments: invalid)
    func refuses(text: String) {
        for padding in [UInt8(ascii: "1"), UInt8(ascii: "\""), UInt8(ascii: "]"), UInt8(ascii: "e"), 0xFF, 0] {
            #expect(refusal(Array(text.utf8), padding: padding)?.kind == .syntax)
        }
    }

    @Test("a valid text stays valid inside an array and an object, an invalid one invalid", arguments: valid)
    func nests(text: String) {
        #expect(refusal("[\(text)]") == nil)
        #expect(refusal("{\"k\": \(text) }") == nil)
        #expect(refusal("[\(text)") != nil)
        #expect(refusal("{\"k\": \(text),}") != nil)
    }
}
