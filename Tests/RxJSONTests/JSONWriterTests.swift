import RxJSON
import Testing

struct JSONWriterTests {
    private func written(_ body: (inout JSONWriter) -> Void) -> String {
        var writer = JSONWriter()
        body(&writer)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    @Test("commas go between members and elements and nowhere else")
    func commas() {
        let text = written { writer in
            writer.object {
                $0.field("a", 1)
                $0.array("b") { array in
                    array.null()
                    array.array { _ in }
                    array.object { _ in }
                    array.bool(false)
                }
                $0.object("c") { $0.field("d", "e") }
                $0.key("f")
                $0.beginArray()
                $0.endArray()
                $0.field("g", true)
            }
        }
        #expect(text == #"{"a":1,"b":[null,[],{},false],"c":{"d":"e"},"f":[],"g":true}"#)
    }

    @Test("ASCII is written like the same string, and of other bytes nothing")
    func ascii() {
        // Eight bytes are looked at together, so each place of a byte counts.
        for length in 0..<20 {
            for place in 0..<max(length, 1) {
                for byte in [UInt8(ascii: "a"), UInt8(ascii: "\""), 0, 0x1F, 0x7F, 0x80, 0xC3, 0xFF] {
                    var text = [UInt8](repeating: UInt8(ascii: "x"), count: length)
                    if !text.isEmpty { text[place] = byte }
                    let isASCII = text.allSatisfy { $0 < 0x80 }
                    let made = written { writer in
                        writer.array { array in
                            array.int(1)
                            let isWritten = text.withUnsafeBytes { array.string(ascii: $0) }
                            #expect(isWritten == isASCII)
                        }
                    }
                    let expected = written { writer in
                        writer.array { array in
                            array.int(1)
                            if isASCII { array.string(String(decoding: text, as: UTF8.self)) }
                        }
                    }
                    #expect(made == expected)
                }
            }
        }
    }

    @Test("a writer writes one text after another")
    func texts() {
        let text = written { writer in
            writer.object { $0.field("a", 1) }
            writer.bytes.append(UInt8(ascii: "\n"))
            writer.int(2)
            writer.bytes.append(UInt8(ascii: "\n"))
            writer.array { $0.int(3) }
        }
        #expect(text == "{\"a\":1}\n2\n[3]")
    }

    @Test("strings are escaped where they must be and only there")
    func strings() {
        #expect(written { $0.string("") } == "\"\"")
        #expect(written { $0.string("plain é€😀/'\u{7F}\u{2028}") } == "\"plain é€😀/'\u{7F}\u{2028}\"")
        #expect(written { $0.string("\"a\\b\"") } == #""\"a\\b\"""#)
        #expect(written { $0.string("\u{8}\u{C}\n\r\t") } == #""\b\f\n\r\t""#)
        #expect(written { $0.string("\u{0}\u{1F}x\u{B}") } == #""\u0000\u001fx\u000b""#)
        for position in 0..<20 {
            var scalars = Array("abcdefghijklmnopqrst".unicodeScalars)
            scalars[position] = "\""
            var expected = scalars.map { String($0) }
            expected[position] = "\\\""
            let text = String(String.UnicodeScalarView(scalars))
            #expect(written { $0.string(text) } == "\"\(expected.joined())\"")
        }
    }

    @Test("every character below 128 reads back as itself")
    func everyByte() throws {
        let text = String(String.UnicodeScalarView((0..<128).map { Unicode.Scalar(UInt8($0)) }))
        let raw = written { $0.string(text) }
        #expect(try reading(raw) { $0.string } == text)
        #expect(!raw.utf8.contains { $0 < 0x20 })
    }

    @Test("keys that are not known before are escaped too")
    func keys() {
        let key = "a\"\n"
        #expect(
            written { writer in
                writer.object {
                    $0.key(key); $0.null()
                }
            } == #"{"a\"\n":null}"#)
    }

    @Test(
        "integers",
        arguments: [
            (0, "0"), (7, "7"), (-1, "-1"), (10, "10"), (99, "99"), (100, "100"), (-1234, "-1234"),
            (Int.max, "9223372036854775807"), (Int.min, "-9223372036854775808"),
        ])
    func ints(value: Int, text: String) {
        #expect(written { $0.int(value) } == text)
    }

    @Test("unsigned integers up to the largest")
    func uints() {
        #expect(written { $0.uint(0) } == "0")
        #expect(written { $0.uint(.max) } == "18446744073709551615")
        #expect(written { writer in writer.object { $0.field("n", UInt64(5)) } } == #"{"n":5}"#)
    }

    @Test("doubles read back as the same double; what JSON has not is null")
    func doubles() throws {
        for value in [0, -0.0, 1, 0.1, 1e21, 1e-7, .leastNonzeroMagnitude, .greatestFiniteMagnitude, .pi] as [Double] {
            let text = written { $0.double(value) }
            let back = try reading(text) { $0.double }
            #expect(back?.bitPattern == value.bitPattern)
        }
        for value in [Double.nan, .infinity, -.infinity] { #expect(written { $0.double(value) } == "null") }
        #expect(JSONNumber(Double.nan) == nil)
        #expect(JSONValue(Double.infinity) == .null)
    }

    @Test("a raw value goes in as written, but on one line")
    func raw() throws {
        let value = try RawJSON(validating: "{ \"a\" : 1.0 }")
        #expect(
            written { writer in
                writer.array {
                    $0.raw(value); $0.raw(.null)
                }
            } == "[{ \"a\" : 1.0 },null]")
        let lines = try RawJSON(validating: "{\n  \"a\": \"x \\n y\"\r\n}\n")
        #expect(written { $0.raw(lines) } == "{\"a\":\"x \\n y\"}")
        value.utf8.withUnsafeBytes { bytes in
            #expect(
                written { writer in
                    writer.object {
                        $0.key("k"); $0.raw(bytes)
                    }
                } == "{\"k\":{ \"a\" : 1.0 }}")
        }
    }

    @Test("prepared fragments mix with the rest")
    func literals() {
        let text = written { writer in
            writer.array {
                $0.int(1)
                $0.separate()
                $0.literal("{\"a\":[2]}")
                $0.valueEnded()
                $0.int(3)
            }
        }
        #expect(text == #"[1,{"a":[2]},3]"#)
    }
}
