import RxTime
import Testing

@Suite("Slots at regular distances")
struct EveryScheduleTests {
    private static let hour: Int64 = 3_600_000_000

    private func every(_ microseconds: Int64, _ zone: TimeZoneRules = .utc) throws -> Schedule {
        .every(try EverySchedule(microseconds: microseconds, zone: zone))
    }

    @Test("below a day they are multiples since 1970, whatever the zone")
    func belowADay() throws {
        let berlin = try zone("Europe/Berlin")
        #expect(
            try every(Self.hour / 4, berlin).texts(2, after: "2026-03-29T00:50:00Z") == [
                "2026-03-29T01:00:00+00:00", "2026-03-29T01:15:00+00:00",
            ])
        #expect(try every(7 * Self.hour).next(after: Instant(seconds: -50)) == Instant(seconds: 0))
        #expect(try every(7 * Self.hour).next(after: Instant(seconds: 0)) == Instant(seconds: 25_200))
        #expect(try every(100_000).previous(before: Instant(seconds: 1)) == Instant(microseconds: 900_000))
        #expect(try every(100_000).previous(before: Instant(seconds: 0)) == nil)
    }

    @Test("whole days are midnights in the zone")
    func days() throws {
        let havana = try zone("America/Havana")
        #expect(
            try every(24 * Self.hour, havana).texts(3, after: "2026-03-07T12:00:00Z", havana) == [
                "2026-03-08T01:00:00-04:00", "2026-03-09T00:00:00-04:00", "2026-03-10T00:00:00-04:00",
            ])
        // Two midnights at one instant, of the day that Samoa skipped and of the next one.
        let apia = try zone("Pacific/Apia")
        let daily = try every(24 * Self.hour, apia)
        #expect(
            try daily.texts(3, after: "2011-12-29T00:00:00-10:00", apia) == [
                "2011-12-31T00:00:00+14:00", "2012-01-01T00:00:00+14:00", "2012-01-02T00:00:00+14:00",
            ])
        #expect(try daily.count(after: at("2011-12-29T00:00:00-10:00"), through: at("2012-01-02T00:00:00+14:00")) == 3)
    }

    @Test("days are counted from 1970-01-01, and weeks from Monday 1970-01-05")
    func anchors() throws {
        #expect(
            try every(48 * Self.hour).texts(2, after: "2026-11-25T12:00:00Z") == [
                "2026-11-27T00:00:00+00:00", "2026-11-29T00:00:00+00:00",
            ])
        #expect(
            try every(7 * 24 * Self.hour).texts(2, after: "2026-11-25T12:00:00Z") == [
                "2026-11-30T00:00:00+00:00", "2026-12-07T00:00:00+00:00",
            ])
        #expect(try every(14 * 24 * Self.hour).texts(1, after: "1970-01-01T00:00:00Z") == ["1970-01-05T00:00:00+00:00"])
        #expect(try every(7 * 24 * Self.hour).previous(before: at("1970-01-05T00:00:00Z")) == nil)
    }

    @Test("the count is that of the slots", arguments: [100_000, 7 * hour, 24 * hour, 72 * hour, 168 * hour])
    func count(step: Int64) throws {
        let schedule = try every(step, zone("Europe/Berlin"))
        let start = try at("2026-03-20T12:00:00Z")
        for slots in [0, 1, 2, 40] {
            let all = Array(schedule.slots(after: start, through: .horizon).prefix(slots))
            #expect(schedule.count(after: start, through: all.last ?? start) == slots)
        }
    }

    @Test("a distance may be so long that there is no second slot")
    func longest() throws {
        let schedule = try every(Int64.max / (24 * Self.hour) * 24 * Self.hour)
        #expect(try schedule.next(after: at("2026-01-01T00:00:00Z")) == nil)
        #expect(schedule.previous(before: .horizon) != nil)
        #expect(schedule.count(after: .beginning, through: .horizon) == 1)
    }

    @Test("a distance is at least 100 ms, and in whole days above one")
    func faults() {
        #expect(throws: EverySchedule.Fault.tooShort) { try EverySchedule(microseconds: 99_999, zone: .utc) }
        #expect(throws: EverySchedule.Fault.tooShort) { try EverySchedule(microseconds: -1, zone: .utc) }
        #expect(throws: EverySchedule.Fault.notInDays) { try EverySchedule(microseconds: 36 * Self.hour, zone: .utc) }
        #expect(throws: Never.self) { try EverySchedule(microseconds: 100_000, zone: .utc) }
        #expect(throws: Never.self) { try EverySchedule(microseconds: 24 * Self.hour - 1, zone: .utc) }
    }
}
