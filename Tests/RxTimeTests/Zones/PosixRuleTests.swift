import RxTime
import Testing

@Suite("Rules of POSIX")
struct PosixRuleTests {
    /// When the clock changes in a year, in UTC.
    private func changes(_ rule: String, _ year: Int) throws -> [String] {
        let zone = try TimeZoneRules(posix: rule)
        var found: [String] = []
        var period = zone.period(at: try at("\(year)-01-01T00:00:00Z"))
        let end = try at("\(year)-12-31T23:59:59Z")
        while period.end <= end {
            found.append(local(period.end, .utc).replacing("+00:00", with: "Z"))
            period = zone.period(at: period.end)
        }
        return found
    }

    @Test(
        "the clock changes on the days of the rule",
        arguments: [
            ("CET-1CEST,M3.5.0,M10.5.0/3", 2026, ["2026-03-29T01:00:00Z", "2026-10-25T01:00:00Z"]),
            ("EST5EDT,M3.2.0,M11.1.0", 2026, ["2026-03-08T07:00:00Z", "2026-11-01T06:00:00Z"]),
            // Ireland's summer is standard time.
            ("IST-1GMT0,M10.5.0,M3.5.0/1", 2026, ["2026-03-29T01:00:00Z", "2026-10-25T01:00:00Z"]),
            // The south's summer is the turn of the year, and a shift may have half an hour.
            ("<+1030>-10:30<+11>-11,M10.1.0,M4.1.0", 2026, ["2026-04-04T15:00:00Z", "2026-10-03T15:30:00Z"]),
            // Saturday before the last Sunday, and 50 hours after Thursday.
            ("<-02>2<-01>,M3.5.0/-1,M10.5.0/0", 2026, ["2026-03-29T01:00:00Z", "2026-10-25T01:00:00Z"]),
            ("IST-2IDT,M3.4.4/26,M10.5.0", 2026, ["2026-03-27T00:00:00Z", "2026-10-24T23:00:00Z"]),
            ("EET-2EEST,M3.4.4/50,M10.4.4/50", 2026, ["2026-03-28T00:00:00Z", "2026-10-23T23:00:00Z"]),
            // February 29 counts for the number of a day, and not for a Julian day.
            ("AAA0BBB,J60/0,300/0", 2024, ["2024-03-01T00:00:00Z", "2024-10-26T23:00:00Z"]),
            ("AAA0BBB,59/0,J300/0", 2024, ["2024-02-29T00:00:00Z", "2024-10-26T23:00:00Z"]),
            ("AAA0BBB,59/0,J300/0", 2026, ["2026-03-01T00:00:00Z", "2026-10-26T23:00:00Z"]),
            // A week away from the day, in both directions.
            ("AAA0BBB,M1.1.1/-167,M6.1.1/167", 2025, ["2025-06-08T22:00:00Z", "2025-12-29T01:00:00Z"]),
            ("UTC0", 2026, []),
        ])
    func dates(rule: String, year: Int, expected: [String]) throws {
        #expect(try changes(rule, year) == expected)
    }

    @Test("summer time may last all year")
    func allYear() throws {
        let zone = try TimeZoneRules(posix: "XXX3EDT4,0/0,J365/23")
        for day in 0..<1500 {
            let period = zone.period(at: Instant(seconds: 1_700_000_000 + Int64(day) * 86_400))
            #expect(period.abbreviation == "EDT")
            #expect(period.offset == -4 * 3600)
        }
    }

    @Test(
        "a malformed rule is refused with its place",
        arguments: [
            ("", 0, "a name of at least three letters"), ("AB1", 2, "a name of at least three letters"),
            ("ABC", 3, "a number from 0 to 24"), ("ABC25", 3, "a number from 0 to 24"),
            ("<ABC1", 5, "\">\""), ("ABC1:60", 5, "a number from 0 to 59"),
            ("ABC1 ", 4, "a name of at least three letters"),
            ("ABC1DEF", 7, "a number from 0 to 24"), ("ABC1DEF,M3.5.0", 14, "\",\""),
            ("ABC1DEF,M13.5.0,0", 9, "a number from 1 to 12"), ("ABC1DEF,M3.6.0,0", 11, "a number from 1 to 5"),
            ("ABC1DEF,M3.5.7,0", 13, "a number from 0 to 6"), ("ABC1DEF,J0,0", 9, "a number from 1 to 365"),
            ("ABC1DEF,366,0", 8, "a number from 0 to 365"), ("ABC1DEF,0/168,0", 10, "a number from 0 to 167"),
            ("ABC1DEF,0,0x", 11, "the end"), ("ABC1DEF,0,M3.5", 14, "\".\""),
        ])
    func malformed(rule: String, position: Int, expected: String) {
        #expect(throws: ZoneFault.invalidRule(rule, position: position, expected: expected)) {
            try TimeZoneRules(posix: rule)
        }
    }
}
