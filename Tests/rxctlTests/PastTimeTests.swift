import ArgumentParser
import RxClient
import RxProtocol
import Testing

@testable import rxctl

@Suite("A time in the past")
struct PastTimeTests {
    private let now = Timestamp(milliseconds: 1_795_222_923_123)

    @Test("is so long ago", arguments: [("10m", 600_000), ("1h30m", 5_400_000), ("500ms", 500), ("2d", 172_800_000)])
    func durations(text: String, milliseconds: Int64) throws {
        #expect(try PastTime(text, now: now).timestamp.milliseconds == now.milliseconds - milliseconds)
    }

    @Test(
        "is an instant, or a time or a day of the zone that it names or of the machine's",
        arguments: [
            ("2026-11-21T01:02:03Z", "2026-11-21T01:02:03.000Z"), ("2026-11-21T01:02Z", "2026-11-21T01:02:00.000Z"),
            ("2026-11-21T01:02:03.750Z", "2026-11-21T01:02:03.750Z"),
            ("2026-11-21T01:02:03+00:00", "2026-11-21T01:02:03.000Z"),
            ("2026-11-21 01:02:03-05:30", "2026-11-21T06:32:03.000Z"),
            ("2026-11-21T01:02:03.5", "2026-11-21T00:02:03.500Z"),
            ("2026-11-21", "2026-11-20T23:00:00.000Z"), ("2026-07-01 03:00", "2026-07-01T01:00:00.000Z"),
            ("2026-07-01 Asia/Tokyo", "2026-06-30T15:00:00.000Z"),
            // The last one until now, which is 02:02:03.
            ("02:02:03", "2026-11-21T01:02:03.000Z"), ("18:00", "2026-11-20T17:00:00.000Z"),
            ("01:00 UTC", "2026-11-21T01:00:00.000Z"),
            // Zones have no rules for these.
            ("9999-12-31", "9999-12-31T00:00:00.000Z"), ("1969-12-31 23:59", "1969-12-31T23:59:00.000Z"),
        ])
    func times(text: String, time: String) throws {
        #expect(try PastTime(text, now: now, zone: "Europe/Berlin").timestamp.description == time)
    }

    @Test("has the forms that the times of --at have, and those of --from the same")
    func everywhere() throws {
        for text in ["2030-01-02T03:04:05Z", "2030-01-02T03:04:05+01:00", "2030-01-02", "2030-01-02 03:04 Asia/Tokyo"] {
            let time = try PastTime(text).timestamp
            #expect(try StartTime(text, now: now).timestamp == time)
            #expect(StartArgument(argument: text)?.start == .time(time))
        }
    }

    @Test(
        "is nothing else",
        arguments: ["", "10", "yesterday", "2026-11", "2026-11-22T3:00", "2026-02-30", "2026-11-22T03:00Z UTC"])
    func others(text: String) {
        #expect(throws: GivenTimeFault.self) { try PastTime(text, now: now) }
    }

    @Test("is refused with what to write instead, and with what is wrong")
    func refused() {
        let fault = #expect(throws: ValidationError.self) { try PastTime.parse("1x") }
        let start = "write how long ago, such as 10m, or a time such as 18:00 or 2026-11-22T03:00: "
        #expect(fault?.message.hasPrefix(start) == true && fault?.message != start, "\(fault?.message ?? "")")
    }
}
