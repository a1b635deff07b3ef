import RxProtocol
import RxTime
import Testing

@testable import rxctl

@Suite("A time to start at")
struct StartTimeTests {
    private static let now = Timestamp("2026-11-26T12:00:00.000Z")!

    private func start(_ text: String) -> String {
        do throws(StartTimeFault) {
            return "\(try StartTime(text, now: Self.now, zone: "Europe/Berlin").timestamp)"
        } catch {
            return error.message
        }
    }

    @Test(
        "is the next one of a time of day, or that of a date, in the zone that it names",
        arguments: [
            ("18:00", "2026-11-26T17:00:00.000Z"), ("12:59:59", "2026-11-27T11:59:59.000Z"),
            ("18:00 America/New_York", "2026-11-26T23:00:00.000Z"), ("12:00 UTC", "2026-11-27T12:00:00.000Z"),
            ("2026-12-24T18:00", "2026-12-24T17:00:00.000Z"), ("2026-12-24 18:00:30", "2026-12-24T17:00:30.000Z"),
            ("2026-12-24", "2026-12-23T23:00:00.000Z"), ("2026-12-24T18:00Z", "2026-12-24T18:00:00.000Z"),
            ("2026-12-24T18:00:00+05:30", "2026-12-24T12:30:00.000Z"),
            ("2026-12-24T18:00 Asia/Tokyo", "2026-12-24T09:00:00.000Z"),
            // The clock skips this hour.
            ("2027-03-28T02:30", "2027-03-28T01:00:00.000Z"),
        ])
    func times(text: String, time: String) { #expect(start(text) == time) }

    @Test("must be in the future", arguments: ["2026-11-26T13:00", "2026-11-26T12:00Z", "2025-01-01T00:00"])
    func past(text: String) { #expect(start(text) == "\"\(text)\" is in the past") }

    @Test(
        "is nothing else",
        arguments: [
            "", "soon", "25:00", "18", "2026-02-30T12:00", "18:00 Europe/Nowhere", "Mon 18:00", "30m",
            "2026-12-24T18:00Z Europe/Berlin",
        ])
    func others(text: String) {
        let result = start(text)
        #expect(Timestamp(result) == nil && result.hasPrefix("\"\(text)\""), "\(result)")
    }
}
