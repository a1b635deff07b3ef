import RxTime
import Testing

@Suite("One time")
struct AtTimeTests {
    @Test(
        "a time has the forms of RFC 3339 and TOML",
        arguments: [
            ("2026-12-24T18:00:00Z", "2026-12-24T18:00:00.000Z"), ("2026-12-24t18:00:00z", "2026-12-24T18:00:00.000Z"),
            ("2026-12-24 18:00:00+01:00", "2026-12-24T17:00:00.000Z"), ("2026-12-24T18:00", "2026-12-24T17:00:00.000Z"),
            ("2026-07-24T18:00:00", "2026-07-24T16:00:00.000Z"), ("2026-12-24T18:00:00.5", "2026-12-24T17:00:00.500Z"),
            ("2026-12-24T18:00:00.0000019Z", "2026-12-24T18:00:00.000001Z"),
            ("2026-12-24T18:00:00-03:30", "2026-12-24T21:30:00.000Z"), ("2026-03-29T02:30", "2026-03-29T01:00:00.000Z"),
            ("2026-10-25T02:30", "2026-10-25T00:30:00.000Z"), ("2024-02-29T00:00Z", "2024-02-29T00:00:00.000Z"),
        ])
    func forms(text: String, utc: String) throws {
        let berlin = try zone("Europe/Berlin")
        let instant = try AtTime(text).instant(in: berlin)
        #expect(SlotElement(scheduled: instant, zone: berlin, fired: instant, missed: 0).scheduled == utc)
        #expect(try AtTime(text).schedule(in: berlin) == .once(instant))
    }

    @Test(
        "an error names the place and what is expected there",
        arguments: [
            ("", 0, "the year in 4 digits"), ("26-12-24T18:00", 0, "the year in 4 digits"),
            ("1969-12-24T18:00", 0, "from 1970 to 2199"), ("2026/12/24T18:00", 4, "expected \"-\""),
            ("2026-13-24T18:00", 5, "the month is not"), ("2026-02-29T18:00", 8, "from 1 to 28"),
            ("2026-12-24", 10, "a time of day"), ("2026-12-24T24:00", 11, "the hour is not"),
            ("2026-12-24T18", 13, "expected \":\""), ("2026-12-24T18:60", 14, "the minute is not"),
            ("2026-12-24T18:00:60", 17, "the second is not"), ("2026-12-24T18:00:00.", 20, "a digit"),
            ("2026-12-24T18:00:00 UTC", 19, "an offset"), ("2026-12-24T18:00:00+1", 20, "in 2 digits"),
            ("2026-12-24T18:00:00Zx", 20, "the end of the time"),
        ])
    func faults(text: String, position: Int, reason: String) {
        let fault = #expect(throws: ExpressionFault.self) { try AtTime(text) }
        #expect(fault?.position == position)
        #expect(fault?.reason.contains(reason) == true, "\(fault?.reason ?? "")")
    }
}
