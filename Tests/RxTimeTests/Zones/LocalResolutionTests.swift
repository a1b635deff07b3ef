import Testing

@testable import RxTime

@Suite("Local times and instants")
struct LocalResolutionTests {
    @Test(
        "a local time is reached at its first occurrence, or when the clock skips it",
        arguments: [
            ("Europe/Berlin", "2026-03-29T01:59:59", "2026-03-29T00:59:59Z"),
            ("Europe/Berlin", "2026-03-29T02:00:00", "2026-03-29T01:00:00Z"),
            ("Europe/Berlin", "2026-03-29T02:30:00", "2026-03-29T01:00:00Z"),
            ("Europe/Berlin", "2026-03-29T03:00:00", "2026-03-29T01:00:00Z"),
            ("Europe/Berlin", "2026-10-25T02:30:00", "2026-10-25T00:30:00Z"),
            ("Europe/Berlin", "2026-10-25T03:00:00", "2026-10-25T02:00:00Z"),
            ("Europe/Berlin", "2150-07-01T12:00:00", "2150-07-01T10:00:00Z"),
            ("America/New_York", "2026-03-08T02:30:00", "2026-03-08T07:00:00Z"),
            ("America/New_York", "2026-11-01T01:30:00", "2026-11-01T05:30:00Z"),
            ("Australia/Lord_Howe", "2026-10-04T02:15:00", "2026-10-03T15:30:00Z"),
            ("Australia/Lord_Howe", "2026-04-05T01:45:00", "2026-04-04T14:45:00Z"),
            ("Africa/Casablanca", "2026-03-22T02:30:00", "2026-03-22T02:00:00Z"),
            ("Africa/Casablanca", "2026-02-15T02:30:00", "2026-02-15T01:30:00Z"),
            ("Pacific/Apia", "2011-12-30T12:00:00", "2011-12-30T10:00:00Z"),
            ("America/Nuuk", "2026-03-28T23:30:00", "2026-03-29T01:00:00Z"),
            ("Asia/Gaza", "2026-03-28T02:30:00", "2026-03-28T00:00:00Z"),
            ("UTC", "2026-03-29T02:30:00", "2026-03-29T02:30:00Z"),
        ])
    func reached(name: String, text: String, expected: String) throws {
        #expect(try AtTime(text).instant(in: zone(name)) == at(expected))
    }

    @Test(
        "an instant is the first to reach its local time unless the clock was put back",
        arguments: ["Europe/Berlin", "Australia/Lord_Howe", "Africa/El_Aaiun", "Pacific/Apia", "Antarctica/Troll"])
    func inverse(name: String) throws {
        let zone = try zone(name)
        for hours in stride(from: 0, to: 24 * 366 * 12, by: 1) {
            let instant = Instant(seconds: 1_262_304_000 + Int64(hours) * 3600)
            let local = zone.period(at: instant).local(instant)
            let latest = zone.latestLocal(through: instant.adding(microseconds: -1))
            #expect((zone.firstInstant(reaching: local) == instant) == (latest < local))
            #expect(zone.latestLocal(through: instant) == max(latest, local))
        }
    }

    @Test(
        "periods follow each other without a gap until the horizon", arguments: ["Europe/Berlin", "Africa/Casablanca"])
    func periods(name: String) throws {
        let zone = try zone(name)
        var period = zone.period(at: .beginning)
        var count = 0
        while period.end < .horizon {
            let next = zone.period(at: period.end)
            #expect(next.start == period.end)
            #expect(zone.period(at: period.end.adding(microseconds: -1)) == period)
            period = next
            count += 1
        }
        #expect(count > 100)
    }
}
