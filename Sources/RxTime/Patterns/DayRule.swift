/// Which days of a month match.
struct DayRule: Hashable, Sendable {
    /// Days of the month as bits 1 to 31.
    var days: UInt32 = 0
    /// Days counted from the end of the month as bits 1 (the last day) to 31.
    var fromEnd: UInt32 = 0
    var weekdays = WeekdayRule.all
    /// If a day matches that is in only one of the two sets: the days of the month, and the weekdays.
    var isEither = false

    /// The matching days as bits 1 to 31.
    func matches(year: Int, month: Int) -> UInt32 {
        let length = CivilDate.length(ofMonth: month, year: year)
        var found = days & MonthDays.all(length)
        if fromEnd != 0 { found |= MonthDays.fromEnd(fromEnd, length: length) }
        if weekdays.every == 0x7F, !isEither { return found }
        let first = CivilDate.weekday(dayNumber: CivilDate(year: year, month: month, day: 1).dayNumber)
        let weekdays = weekdays.days(first: first, length: length)
        return isEither ? found | weekdays : found & weekdays
    }
}
