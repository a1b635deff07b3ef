import Testing

@testable import RxTime

@Suite("Dates")
struct CivilDateTests {
    @Test("each day from 1900 to 2300 is the one after the day before")
    func days() {
        var date = CivilDate(year: 1900, month: 1, day: 1)
        var number = date.dayNumber
        #expect(number == -25_567)
        while date.year < 2300 {
            #expect(CivilDate(dayNumber: number) == date)
            #expect(date.dayNumber == number)
            number += 1
            if date.day < CivilDate.length(ofMonth: date.month, year: date.year) {
                date.day += 1
            } else {
                date = CivilDate(
                    year: date.year + date.month / 12, month: date.month % 12 + 1, day: 1)
            }
        }
    }

    @Test("weekdays begin with Monday", arguments: [(0, 3), (4, 0), (-1, 2), (-4, 6), (20_541, 6)])
    func weekdays(day: Int, weekday: Int) { #expect(CivilDate.weekday(dayNumber: day) == weekday) }

    @Test("every fourth year is a leap year, but only every fourth century")
    func leapYears() {
        #expect(
            [1900, 1970, 1972, 2000, 2026, 2100, 2196].map { CivilDate.isLeap($0) } == [
                false, false, true, true, false, false, true,
            ])
    }
}
