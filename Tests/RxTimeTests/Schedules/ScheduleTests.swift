import RxTime
import Testing

@Suite("Schedules")
struct ScheduleTests {
    @Test("slots end with the year 2199, and begin with 1970")
    func bounds() throws {
        // Kiritimati skipped a day, whose midnight is the same instant as the next one.
        for (name, days) in [("UTC", 84_006), ("Pacific/Kiritimati", 84_005), ("Pacific/Pago_Pago", 84_006)] {
            let zone = try zone(name)
            let schedule = try CalendarExpression("daily").schedule(in: zone)
            let last = try #require(schedule.previous(before: Instant(microseconds: .max)))
            #expect(local(last, zone).hasPrefix("2199-12-31T00:00:00"))
            #expect(schedule.next(after: last) == nil)
            let first = try #require(schedule.next(after: Instant(microseconds: .min)))
            #expect(local(first, zone).hasPrefix("1970-01-01T00:00:00"))
            #expect(schedule.previous(before: first) == nil)
            #expect(schedule.count(after: Instant(microseconds: .min), through: Instant(microseconds: .max)) == days)
        }
    }

    @Test("rare days are found, and days that never come end the search")
    func rare() throws {
        let rare = try CalendarExpression("Mon *-02-29 12:00").schedule(in: zone("Europe/Berlin"))
        #expect(
            try rare.texts(3, after: "2026-01-01T00:00:00Z").map { String($0.prefix(10)) } == [
                "2044-02-29", "2072-02-29", "2112-02-29",
            ])
        // Only in the hour that the clock skips.
        let never = try CalendarExpression("Sun *-03-25..31 02:*").schedule(in: zone("Europe/Berlin"))
        #expect(try never.next(after: at("1997-01-01T00:00:00Z")) == nil)
        #expect(
            try never.previous(before: .horizon).map { local($0, try zone("Europe/Berlin")) }
                == "1980-03-30T02:59:00+01:00")
    }

    @Test("one time is a slot once")
    func once() throws {
        let slot = try at("2026-12-24T18:00:00Z")
        let schedule = Schedule.once(slot)
        #expect(schedule.next(after: slot.adding(microseconds: -1)) == slot)
        #expect(schedule.next(after: slot) == nil)
        #expect(schedule.previous(before: slot) == nil)
        #expect(schedule.previous(before: slot.adding(microseconds: 1)) == slot)
        #expect(schedule.count(after: .beginning, through: slot) == 1)
        #expect(schedule.count(after: slot, through: .horizon) == 0)
        #expect(Array(schedule.slots(after: .beginning, through: .horizon)) == [slot])
    }

    @Test("slots of overlapping fractions are counted once")
    func fractions() throws {
        let schedule = try CalendarExpression("*:*:0/0.5,0/0.75").schedule(in: .utc)
        let (start, end) = (try at("2026-01-01T00:00:00Z"), try at("2026-01-01T00:02:30.25Z"))
        let slots = schedule.slots(after: start, through: end).reduce(0) { count, _ in count + 1 }
        #expect(slots == 300 + 200 - 100)
        #expect(schedule.count(after: start, through: end) == slots)
    }

    @Test("hundreds of millions of slots are counted at once")
    func manySlots() throws {
        let schedule = try CalendarExpression("*:*:*").schedule(in: zone("Europe/Berlin"))
        let count = try schedule.count(after: at("2000-01-01T00:00:00Z"), through: at("2026-01-01T00:00:00Z"))
        #expect(count == 9497 * 86_400)
    }
}
