import RxTime
import Testing

@Suite("Slots around clock changes")
struct ClockChangeTests {
    /// The expression in a zone, after a local time: the slots on the clock of the zone.
    struct Night: CustomTestStringConvertible, Sendable {
        let expression: String
        let zone: String
        let after: String
        let slots: [String]

        var testDescription: String { "\(expression) in \(zone)" }

        init(_ expression: String, _ zone: String, after: String, _ slots: String...) {
            self.expression = expression
            self.zone = zone
            self.after = after
            self.slots = slots
        }
    }

    private static let nights = [
        // Fixed, in the night without 02:30, and in the one with two.
        Night(
            "30 2 * * *", "Europe/Berlin", after: "2026-03-28T00:00:00", "2026-03-28T02:30:00+01:00",
            "2026-03-29T03:00:00+02:00", "2026-03-30T02:30:00+02:00"),
        Night(
            "0,30 2 * * *", "Europe/Berlin", after: "2026-03-28T12:00:00", "2026-03-29T03:00:00+02:00",
            "2026-03-30T02:00:00+02:00"),
        Night(
            "0 2,3 * * *", "Europe/Berlin", after: "2026-03-28T12:00:00", "2026-03-29T03:00:00+02:00",
            "2026-03-30T02:00:00+02:00"),
        Night(
            "30 2 * * *", "Europe/Berlin", after: "2026-10-24T12:00:00", "2026-10-25T02:30:00+02:00",
            "2026-10-26T02:30:00+01:00"),
        Night(
            "0,30 2 * * *", "Europe/Berlin", after: "2026-10-25T02:00:00", "2026-10-25T02:30:00+02:00",
            "2026-10-26T02:00:00+01:00"),
        // Seconds do not make it an interval.
        Night(
            "*/30 30 2 * * *", "Europe/Berlin", after: "2026-03-28T12:00:00", "2026-03-29T03:00:00+02:00",
            "2026-03-30T02:30:00+02:00"),
        // An interval, in both nights.
        Night(
            "*/30 2 * * *", "Europe/Berlin", after: "2026-03-28T02:15:00", "2026-03-28T02:30:00+01:00",
            "2026-03-30T02:00:00+02:00"),
        Night(
            "*/30 2 * * *", "Europe/Berlin", after: "2026-10-24T12:00:00", "2026-10-25T02:00:00+02:00",
            "2026-10-25T02:30:00+02:00", "2026-10-25T02:00:00+01:00", "2026-10-25T02:30:00+01:00",
            "2026-10-26T02:00:00+01:00"),
        Night(
            "0 * * * *", "America/New_York", after: "2026-03-08T00:30:00", "2026-03-08T01:00:00-05:00",
            "2026-03-08T03:00:00-04:00", "2026-03-08T04:00:00-04:00"),
        Night(
            "0 * * * *", "America/New_York", after: "2026-11-01T00:30:00", "2026-11-01T01:00:00-04:00",
            "2026-11-01T01:00:00-05:00", "2026-11-01T02:00:00-05:00"),
        Night(
            "30 1 * * *", "America/New_York", after: "2026-11-01T00:30:00", "2026-11-01T01:30:00-04:00",
            "2026-11-02T01:30:00-05:00"),
        // Half an hour.
        Night(
            "15 2 * * *", "Australia/Lord_Howe", after: "2026-10-03T12:00:00", "2026-10-04T02:30:00+11:00",
            "2026-10-05T02:15:00+11:00"),
        Night(
            "*/15 1 * * *", "Australia/Lord_Howe", after: "2026-04-05T01:15:00", "2026-04-05T01:30:00+11:00",
            "2026-04-05T01:45:00+11:00", "2026-04-05T01:30:00+10:30", "2026-04-05T01:45:00+10:30",
            "2026-04-06T01:00:00+10:30"),
        // Ramadan, in which the clock is put back.
        Night(
            "30 2 * * *", "Africa/Casablanca", after: "2026-02-14T12:00:00", "2026-02-15T02:30:00+01:00",
            "2026-02-16T02:30:00+00:00"),
        Night(
            "30 2 * * *", "Africa/El_Aaiun", after: "2026-03-21T12:00:00", "2026-03-22T03:00:00+01:00",
            "2026-03-23T02:30:00+01:00"),
        // A day that Samoa did not have.
        Night(
            "0 12 * * *", "Pacific/Apia", after: "2011-12-29T00:00:00", "2011-12-29T12:00:00-10:00",
            "2011-12-31T00:00:00+14:00", "2011-12-31T12:00:00+14:00"),
        Night(
            "0 0 30,31 12 *", "Pacific/Apia", after: "2011-12-29T00:00:00", "2011-12-31T00:00:00+14:00",
            "2012-12-30T00:00:00+14:00"),
        Night(
            "0 */12 30 12 *", "Pacific/Apia", after: "2011-12-29T00:00:00", "2012-12-30T00:00:00+14:00",
            "2012-12-30T12:00:00+14:00"),
        // The clock changes at night on a Saturday, the evening before, or in the middle of the night.
        Night(
            "30 2 * * *", "Asia/Gaza", after: "2026-03-27T12:00:00", "2026-03-28T03:00:00+03:00",
            "2026-03-29T02:30:00+03:00"),
        Night(
            "30 23 * * *", "America/Nuuk", after: "2026-03-28T12:00:00", "2026-03-29T00:00:00-01:00",
            "2026-03-29T23:30:00-01:00"),
        Night(
            "0 0 * * *", "America/Havana", after: "2026-03-07T12:00:00", "2026-03-08T01:00:00-04:00",
            "2026-03-09T00:00:00-04:00"),
        Night(
            "0 0 * * *", "America/Havana", after: "2026-10-31T12:00:00", "2026-11-01T00:00:00-04:00",
            "2026-11-02T00:00:00-05:00"),
        // Years that only the rule covers.
        Night(
            "30 2 * * *", "Europe/Berlin", after: "2150-03-28T12:00:00", "2150-03-29T03:00:00+02:00",
            "2150-03-30T02:30:00+02:00"),
        Night("30 2 * * *", "UTC", after: "2026-03-29T00:00:00", "2026-03-29T02:30:00+00:00"),
    ]

    @Test("cron expressions fire as the contract states", arguments: nights)
    func cron(night: Night) throws {
        let zone = try zone(night.zone)
        let schedule = try CronExpression(night.expression).schedule(in: zone)
        let start = try AtTime(night.after).instant(in: zone)
        let slots = schedule.slots(after: start, through: .horizon).prefix(night.slots.count)
        #expect(slots.map { local($0, zone) } == night.slots)
        // The same slots backward, and by number.
        let all = Array(slots)
        #expect(schedule.count(after: start, through: all[all.count - 1]) == all.count)
        var backward: [Instant] = []
        var end = all[all.count - 1].adding(microseconds: 1)
        while let slot = schedule.previous(before: end), slot > start {
            backward.append(slot)
            end = slot
        }
        #expect(backward.reversed() == all)
    }

    @Test("calendar expressions follow the same rules")
    func calendar() throws {
        let berlin = try zone("Europe/Berlin")
        let fixed = try CalendarExpression("02:30").schedule(in: berlin)
        #expect(
            try fixed.texts(2, after: "2026-03-28T12:00:00Z", berlin) == [
                "2026-03-29T03:00:00+02:00", "2026-03-30T02:30:00+02:00",
            ])
        let interval = try CalendarExpression("*:0/30").schedule(in: berlin)
        #expect(
            try interval.texts(5, after: "2026-10-25T00:00:00Z", berlin) == [
                "2026-10-25T02:30:00+02:00", "2026-10-25T02:00:00+01:00", "2026-10-25T02:30:00+01:00",
                "2026-10-25T03:00:00+01:00", "2026-10-25T03:30:00+01:00",
            ])
    }

    @Test("a slot is moved if the clock skips its time")
    func moved() throws {
        let (berlin, havana) = (try zone("Europe/Berlin"), try zone("America/Havana"))
        func moved(_ schedule: Schedule, _ start: String) throws -> [Bool] {
            try schedule.slots(after: at(start), through: .horizon).prefix(3).map { schedule.isMoved($0) }
        }
        let nightly = try CronExpression("30 2 * * *").schedule(in: berlin)
        #expect(try moved(nightly, "2026-03-27T12:00:00Z") == [false, true, false])
        #expect(try moved(nightly, "2026-10-23T12:00:00Z") == [false, false, false])
        let interval = try CronExpression("*/30 2 * * *").schedule(in: berlin)
        #expect(try moved(interval, "2026-03-28T01:15:00Z") == [false, false, false])
        let daily = Schedule.every(try EverySchedule(microseconds: 86_400_000_000, zone: havana))
        #expect(try moved(daily, "2026-03-06T12:00:00Z") == [false, true, false])
    }

    @Test("an interval within one repeated hour of one day has slots in both hours")
    func oneDay() throws {
        let berlin = try zone("Europe/Berlin")
        let schedule = try CalendarExpression("2026-10-25 02:*:30").schedule(in: berlin)
        #expect(schedule.count(after: .beginning, through: .horizon) == 120)
        #expect(schedule.slots(after: .beginning, through: .horizon).reduce(0) { count, _ in count + 1 } == 120)
        #expect(try schedule.previous(before: .horizon) == at("2026-10-25T02:59:30+01:00"))
        let skipped = try CalendarExpression("2026-03-29 02:*").schedule(in: berlin)
        #expect(skipped.next(after: .beginning) == nil)
        #expect(skipped.previous(before: .horizon) == nil)
        #expect(skipped.count(after: .beginning, through: .horizon) == 0)
    }
}
