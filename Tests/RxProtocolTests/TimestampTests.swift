import RxProtocol
import Testing

@Suite("A timestamp")
struct TimestampTests {
    // Seconds from `date -u -d TEXT +%s`.
    @Test(
        "is RFC 3339 in UTC with milliseconds",
        arguments: [
            (0, "1970-01-01T00:00:00.000Z"), (1, "1970-01-01T00:00:00.001Z"),
            (-1, "1969-12-31T23:59:59.999Z"), (-1000, "1969-12-31T23:59:59.000Z"),
            (-1001, "1969-12-31T23:59:58.999Z"), (951_782_400_000, "2000-02-29T00:00:00.000Z"),
            (1_795_222_923_123, "2026-11-21T01:02:03.123Z"), (4_107_542_400_000, "2100-03-01T00:00:00.000Z"),
            (-2_208_988_800_000, "1900-01-01T00:00:00.000Z"), (253_402_300_799_999, "9999-12-31T23:59:59.999Z"),
            // Beyond what the text can have.
            (-138_973_628_355_328, "0000-01-01T00:00:00.000Z"), (253_402_300_800_000, "9999-12-31T23:59:59.999Z"),
            (.min, "0000-01-01T00:00:00.000Z"), (.max, "9999-12-31T23:59:59.999Z"),
        ] as [(Int64, String)])
    func text(milliseconds: Int64, text: String) {
        let timestamp = Timestamp(milliseconds: milliseconds)
        #expect(timestamp.description == text)
        var bytes = Array("x".utf8)
        timestamp.write(to: &bytes)
        #expect(bytes == Array(("x" + text).utf8) && bytes.count == 1 + Timestamp.length)
    }

    @Test(
        "is read from that text",
        arguments: [
            ("1970-01-01T00:00:00.001Z", 1), ("1969-12-31T23:59:58.999Z", -1001),
            ("2000-02-29T00:00:00.000Z", 951_782_400_000), ("2026-11-21T01:02:03.123Z", 1_795_222_923_123),
            ("9999-12-31T23:59:59.999Z", 253_402_300_799_999),
        ] as [(String, Int64)])
    func reading(text: String, milliseconds: Int64) {
        #expect(Timestamp(text)?.milliseconds == milliseconds)
    }

    @Test("shows every day of four centuries and of the first years as the system's calendar does")
    func days() {
        for day in Array(-719_528 ..< -718_000) + Array(-150_000..<150_000) {
            let milliseconds = Int64(day) * 86_400_000 + 86_399_999
            let text = Timestamp(milliseconds: milliseconds).description
            // Reading uses `timegm`.
            guard Timestamp(text)?.milliseconds == milliseconds else {
                Issue.record("day \(day) is shown as \(text)")
                return
            }
        }
    }

    @Test(
        "is nothing else",
        arguments: [
            "", "2026-11-21", "2026-11-21T01:02:03", "2026-11-21T01:02:03Z", "2026-11-21 01:02:03.000Z",
            "2026-02-29T00:00:00.000Z", "2026-13-01T00:00:00.000Z", "2026-00-01T00:00:00.000Z",
            "2026-11-21T24:00:00.000Z", "2026-11-21T01:60:00.000Z", "2026-11-21T01:02:60.000Z",
            "2026-11-21T01:02:03+00:0", "+026-11-21T01:02:03.000Z", "2026-11-21T01:02:03.123z",
        ])
    func unreadable(text: String) {
        #expect(Timestamp(text) == nil)
    }

    @Test("comes after an earlier one")
    func order() {
        #expect(Timestamp(milliseconds: -1) < Timestamp(milliseconds: 0))
        #expect(!(Timestamp(milliseconds: 0) < Timestamp(milliseconds: 0)))
    }
}
