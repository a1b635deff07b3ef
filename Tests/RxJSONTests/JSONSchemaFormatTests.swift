import RxJSON
import Testing

/// Which strings each `format` accepts, from the words of its RFC.
struct JSONSchemaFormatTests {
    private func accepts(_ format: String, _ text: String) throws -> Bool {
        try JSONSchema(RawJSON(validating: #"{"format":"\#(format)"}"#)).violations(of: RawJSON(.string(text))).isEmpty
    }

    @Test(
        "a format accepts what its specification allows and rejects everything else",
        arguments: [
            Row("hostname", accepts: ["a", "A-1.example", "1.2.3", "xn--bcher-kva.example", "XN--Bcher-KVA"]),
            Row("hostname", rejects: ["a.", ".a", "a..b", "a_b", "é", "xn--", "xn--x", "xn--aa---o47jg78q", "a b"]),
            Row("hostname", accepts: [String(repeating: "a", count: 63)], rejects: [String(repeating: "a", count: 64)]),
            Row(
                "hostname",
                accepts: [Array(repeating: String(repeating: "a", count: 49), count: 5).joined(separator: ".")],
                rejects: [Array(repeating: String(repeating: "a", count: 50), count: 5).joined(separator: ".")]),
            Row("idn-hostname", accepts: ["bücher.example", "실례。테스트", "faß", "a-b", "xn--bcher-kva", "क्‍ष"]),
            Row(
                "idn-hostname",
                rejects: ["Bücher", "bü--cher", "-ü", "ü-", "ü_", "ﬁ", "", "ü..a", "a·b", "xn--bcher-kvb"]),
            // Right to left: no letter of the other direction, and no beginning with a digit.
            Row("idn-hostname", accepts: ["אב", "שלום1"], rejects: ["אa", "aא", "1א", "א٠1"]),
            Row(
                "idn-email", accepts: ["é.b@bücher.example", "a@b"], rejects: ["é", "@é", "é@", "a..b@c", "a@B\u{FC}"]),
            Row(
                "time", accepts: ["23:59:60Z", "00:59:60+01:00", "15:59:60.5-08:00", "12:00:00z"],
                rejects: ["22:59:60Z", "23:59:60+01:00", "12:00:00", "12:00:00+24:00", "12:00:00+01:60", "12:00:61Z"]),
            Row("date-time", accepts: ["2016-12-31T23:59:60Z"], rejects: ["2016-12-31T22:59:60Z"]),
            Row(
                "uri",
                accepts: [
                    "a:", "a:b", "http://[::1]:8080/", "http://[v1.a:b]", "http://a@b:/?#", "urn:a:b", "a:%20",
                    "http://%41", "file:///c:/x", "a://b?c/d?e#f/g?h",
                ],
                rejects: [
                    "", "a", "//b", "1a:b", "a:b c", "a:%2", "http://[::1", "http://[1]", "http://a:b", "a:#b#c",
                    "a:é", "a:[", "a:\\b", "a:{b}", "http://a@b@c",
                ]),
            Row(
                "uri-reference", accepts: ["", "a", "./a:b", "//a", "?", "#", "a/b:c", "http://a"],
                rejects: ["a,b:c", "%", "é"]),
            Row(
                "iri", accepts: ["http://é/è?ê#ë", "a:\u{10000}", "a:?\u{E000}"],
                rejects: ["é", "a:\u{E000}", "a:\u{80}", "é:a"]),
            Row("iri-reference", accepts: ["é", "#é", "//é"], rejects: ["é\\", "a b", "\u{FFF0}"]),
            Row(
                "uri-template",
                accepts: [
                    "", "a", "{a}", "{+a,b:3,c*}/{?d.e,%41}", "é{#a_b}", "{/a}{;b}{.c}{&d}", "%20", "{a:9999}", "it's",
                    "{!a}",
                ],
                rejects: [
                    "{", "}", "{}", "{a", "a}", "{a,}", "{a:}", "{a:0}", "{a:10000}", "{a*:3}", "{a b}", "{.}",
                    "{a..b}", "{a.}", "{{a}}", "%2", "a b", "<", "\"", "\\", "^", "`", "|",
                ]),
            Row(
                "relative-json-pointer", accepts: ["0", "1/a", "12#", "0/~0~1", "0/"],
                rejects: ["", "/a", "00", "01", "-1", "1a", "0##", "0#/a", "0/~2", "#"]),
        ])
    func formats(row: Row) throws {
        for text in row.accepts { #expect(try accepts(row.format, text), "\(row.format) must accept \(text)") }
        for text in row.rejects { #expect(try !accepts(row.format, text), "\(row.format) must reject \(text)") }
    }

    struct Row: Sendable, CustomTestStringConvertible {
        let format: String
        let accepts: [String]
        let rejects: [String]

        init(_ format: String, accepts: [String] = [], rejects: [String] = []) {
            (self.format, self.accepts, self.rejects) = (format, accepts, rejects)
        }

        var testDescription: String { format }
    }
}
