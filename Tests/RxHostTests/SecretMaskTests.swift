import RxJSON
import Testing

@testable import RxHost
@testable import RxRecords
@testable import RxStore

/// Secrets of an input are replaced wherever they are in what is kept.
struct SecretMaskTests {
    private static func json(_ text: String) -> RawJSON { RawJSON(unchecked: Array(text.utf8)) }

    /// An element as it is kept beside these secrets.
    private static func element(_ text: String, without secrets: [String]) throws -> String {
        let mask = try #require(SecretMask(secrets))
        var retained = RetainedElements(limit: 1 << 20)
        retained.append(json(text), number: 1, time: 1)
        let kept = mask.masking(KeptOutput(elements: retained.snapshot.kept), limit: 1 << 20, isOver: true)
        let element = try #require(kept.elements.kept.first)
        return element.text.text
    }

    /// Standard error as it is kept, a part for each piece, with `...` for a gap.
    private static func errors(
        _ pieces: [(String, Int)], limit: Int = 1 << 20, isOver: Bool = true, without secrets: [String]
    ) throws -> KeptErrors {
        let mask = try #require(SecretMask(secrets))
        var retained = RetainedErrors(limit: limit)
        for piece in pieces { Array(piece.0.utf8).withUnsafeBytes { retained.append($0, after: piece.1) } }
        return mask.masking(KeptOutput(errors: retained.kept), limit: 1 << 20, isOver: isOver).errors
    }

    private static func text(_ errors: KeptErrors) -> String {
        var (text, offset) = ("", 0)
        for piece in errors.kept {
            if piece.offset > offset { text += "..." }
            text += String(decoding: piece.bytes, as: UTF8.self)
            offset = piece.end
        }
        return offset < errors.bytes ? text + "..." : text
    }

    @Test(
        "in elements: whole values of any length, parts of three bytes or more, keys, numbers, and escapes",
        arguments: [
            (#""x""#, ["x"], #""[redacted]""#),
            (#""xx""#, ["x"], #""xx""#),
            (#""a xy b""#, ["xy"], #""a xy b""#),
            (#""a xyz b""#, ["xyz"], #""a [redacted] b""#),
            (
                #"{"k":["a",{"l":"see hunter2!"}],"n":null,"b":true}"#, ["hunter2"],
                #"{"k":["a",{"l":"see [redacted]!"}],"n":null,"b":true}"#
            ),
            (#"{"hunter2":1}"#, ["hunter2"], #"{"[redacted]":1}"#),
            ("7", ["7"], #""[redacted]""#),
            ("77", ["7"], "77"),
            (#""pin 1234""#, ["1234"], #""pin [redacted]""#),
            // A secret with a quote, in a text and in JSON within a text.
            (#""is a\"b c""#, [#"a"b"#], #""is [redacted] c""#),
            (#""{\"k\":\"a\\\"b\"}""#, [#"a"b"#], #""{\"k\":\"[redacted]\"}""#),
            // The longer one as a whole; of two that overlap, both.
            (#""xabcdx""#, ["abc", "abcd"], #""x[redacted]x""#),
            (#""xabcdex""#, ["abcd", "cde"], #""x[redacted]x""#),
            (#""abcabc""#, ["abc"], #""[redacted][redacted]""#),
            (#""aaaaa""#, ["aaa"], #""[redacted]""#),
            (#""über pâss""#, ["pâss"], #""über [redacted]""#),
        ])
    func elements(text: String, secrets: [String], masked: String) throws {
        #expect(try Self.element(text, without: secrets) == masked)
    }

    @Test("a text without a secret is the very same, down to its spaces and its numbers")
    func same() throws {
        let text = #" { "a" : [ 1.50 , "x\u0041/" ], "a":2 } "#
        #expect(try Self.element(text, without: ["hunter2"]) == text)
        let pieces = [("a", 0), ("b", 1)]
        var retained = RetainedErrors(limit: 100)
        for piece in pieces { Array(piece.0.utf8).withUnsafeBytes { retained.append($0, after: piece.1) } }
        #expect(try Self.errors(pieces, limit: 100, without: ["hunter2"]) == retained.kept)
    }

    @Test("missing elements have the bytes that they had, whatever replaces secrets in the others")
    func missing() throws {
        let mask = try #require(SecretMask(["hunter2"]))
        var retained = RetainedElements(limit: 60)
        for number in 1...20 { retained.append(Self.json(#""hunter2""#), number: UInt64(number), time: 1) }
        let plain = retained.snapshot.kept
        let kept = mask.masking(KeptOutput(elements: plain), limit: 1 << 20, isOver: true).elements
        func missing(_ elements: KeptElements) -> Int {
            elements.bytes - elements.kept.reduce(0) { $0 + $1.text.utf8.count + 1 }
        }
        #expect(kept.kept.count == plain.kept.count && missing(kept) == missing(plain) && missing(plain) > 0)
        #expect(kept.kept.allSatisfy { $0.text.text == #""[redacted]""# })
    }

    @Test(
        "on standard error: in one piece, over several, and over both halves; the offsets stay",
        arguments: [
            ([("a hunter2 b", 0)], 100, "a [redacted] b"),
            ([("a hun", 0), ("t", 1), ("er2 b", 2)], 100, "a [redacted] b"),
            ([("hunter2hunter2", 0)], 100, "[redacted][redacted]"),
            // The halves meet within the secret.
            ([("a hunter2 b", 0)], 12, "a [redacted] b"),
            ([("a hu", 0), ("nter2 b", 3)], 12, "a [redacted] b"),
        ])
    func errors(pieces: [(String, Int)], limit: Int, masked: String) throws {
        let kept = try Self.errors(pieces, limit: limit, without: ["hunter2"])
        #expect(Self.text(kept) == masked)
        let all = pieces.map(\.0).joined()
        #expect(kept.bytes == all.utf8.count && kept.kept.last?.end == kept.bytes)
        for piece in kept.kept where piece.replaced == nil {
            #expect(Array(all.utf8)[piece.offset..<piece.end] == piece.bytes[...])
        }
    }

    @Test("what is left of a secret beside a gap is replaced, from three bytes on; and at the end while more may come")
    func cut() throws {
        let text = "0123 hunter2" + String(repeating: ".", count: 90) + "hunter2 6789"
        func kept(_ half: Int) throws -> String {
            Self.text(try Self.errors([(text, 0)], limit: 2 * half, without: ["hunter2"]))
        }
        #expect(try kept(7) == "0123 hu...r2 6789")
        #expect(try kept(8) == "0123 [redacted]...[redacted] 6789")
        #expect(try kept(11) == "0123 [redacted]...[redacted] 6789")
        #expect(try kept(12) == "0123 [redacted]...[redacted] 6789")
        func last(_ isOver: Bool) throws -> String {
            Self.text(try Self.errors([("see hunt", 0)], isOver: isOver, without: ["hunter2"]))
        }
        #expect(try last(true) == "see hunt")
        #expect(try last(false) == "see [redacted]")
    }

    @Test("of secrets that are too long to look for, all text is replaced")
    func tooLong() throws {
        let secrets = ["hunter2", String(repeating: "x", count: 300 << 10)]
        #expect(try Self.element(#"{"a":"b"}"#, without: secrets) == #""[redacted]""#)
        #expect(Self.text(try Self.errors([("a", 0), ("b", 1)], without: secrets)) == "[redacted]")
        let controls = [String(repeating: "\u{1}", count: 50_000)]
        #expect(try Self.element(#"{"a":"b"}"#, without: controls) == #""[redacted]""#, "as JSON, it has 300,000 bytes")
        let mask = try #require(SecretMask(secrets))
        let failure = mask.masking(WorkFailure(message: "no", facts: ["exit": 3, "stderr": "b"], mayPass: true))
        #expect(failure.message == "[redacted]" && failure.facts == ["exit": "[redacted]", "stderr": "[redacted]"])
    }

    @Test("without secrets there is no mask; an empty one is none")
    func none() throws {
        #expect(SecretMask([]) == nil && SecretMask(["", ""]) == nil)
        let schema = try JSONSchema(RawJSON(["properties": ["p": ["writeOnly": true]]]))
        #expect(SecretMask(schema, Self.json(#"{"q":"abc"}"#)) == nil)
        #expect(SecretMask(schema, Self.json(#"{"p":{"a":["abc",5,null,true]}}"#)) != nil)
    }

    @Test("failures: the message and the facts; a long standard error may begin within a secret")
    func failures() throws {
        let mask = try #require(SecretMask(["hunter2"]))
        let stderr = "nter2 " + String(repeating: ".", count: 1100)
        let masked = mask.masking(
            WorkFailure(
                message: "bad hunter2", facts: ["stderr": .string(stderr), "a": ["hunter2", 1]], mayPass: true))
        #expect(masked.message == "bad [redacted]" && masked.mayPass)
        #expect(masked.facts["stderr"]?.string?.hasPrefix("[redacted] .") == true)
        #expect(masked.facts["a"] == ["[redacted]", 1])
        let short = mask.masking(WorkFailure(message: "x", facts: ["stderr": "nter2"]))
        #expect(short.facts["stderr"] == "nter2")
        for error in [ExecutionError.timedOut(limit: .seconds(1)), .interrupted] {
            #expect("\(mask.masking(error))" == "\(error)")
        }
    }

    /// Every place that the slow way finds: each part at each position, joined where they overlap.
    private static func places(of parts: [[UInt8]], in bytes: [UInt8]) -> [Range<Int>] {
        var found: [Range<Int>] = []
        for start in bytes.indices {
            for part in parts where bytes[start...].starts(with: part) { found.append(start..<(start + part.count)) }
        }
        var joined: [Range<Int>] = []
        for range in found.sorted(by: { ($0.lowerBound, $0.upperBound) < ($1.lowerBound, $1.upperBound) }) {
            if let last = joined.last, range.lowerBound < last.upperBound {
                joined[joined.count - 1] = last.lowerBound..<max(last.upperBound, range.upperBound)
            } else {
                joined.append(range)
            }
        }
        return joined
    }

    @Test("the search finds what a slow one finds, with every cut")
    func search() {
        var random = SplitMix(13)
        func word(_ most: Int) -> [UInt8] {
            (0..<Int.random(in: 1...most, using: &random)).map { _ in UInt8.random(in: 97...99, using: &random) }
        }
        for _ in 0..<2000 {
            let parts = (0..<Int.random(in: 1...6, using: &random)).map { _ in word(6) }
            let bytes = word(40)
            let search = SecretSearch(Set(parts.map { String(decoding: $0, as: UTF8.self) }))
            #expect(search.places(in: bytes) == Self.places(of: parts, in: bytes))
            let start = (1...6).last { count in
                count <= bytes.count && parts.contains { $0.count > count && $0.suffix(count) == bytes.prefix(count) }
            }
            let before = search.places(in: bytes, isCutBefore: true)
            #expect(start == nil || before.first.map { $0.lowerBound == 0 && $0.upperBound >= start! } == true)
            let end = (1...6).last { count in
                count <= bytes.count && parts.contains { $0.count > count && $0.prefix(count) == bytes.suffix(count) }
            }
            let after = search.places(in: bytes, isCutAfter: true)
            #expect(
                end == nil
                    || after.last.map { $0.upperBound == bytes.count && $0.lowerBound <= bytes.count - end! } == true)
        }
    }

    @Test("256 secrets in 64 KiB, as much alike as can be, take a time that depends on the bytes alone")
    func bounded() throws {
        let secrets = (0..<256).map { String(repeating: "a", count: 200 + $0 % 50) + "b\($0)" }
        let mask = try #require(SecretMask(secrets))
        var retained = RetainedErrors(limit: 64 << 10)
        [UInt8](repeating: UInt8(ascii: "a"), count: 64 << 10).withUnsafeBytes { retained.append($0, after: 0) }
        let output = KeptOutput(errors: retained.kept)
        let start = ContinuousClock.now
        let masked = mask.masking(output, limit: 1 << 20, isOver: true)
        // A search of each secret at each place takes minutes in a debug build.
        #expect(ContinuousClock.now - start < .seconds(20))
        #expect(masked.errors == output.errors)
    }
}
