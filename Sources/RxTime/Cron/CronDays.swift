/// How the day of the month and the weekday of a cron expression combine.
enum CronDays {
    static func rule(day: CronList, weekday: CronList) -> DayRule {
        var weekdays = WeekdayRule()
        for number in 0...7 where weekday.numbers.contains(number) { weekdays.every |= bit(number) }
        for number in weekday.lastWeekdays { weekdays.last |= bit(number) }
        for (number, place) in weekday.numberedWeekdays { weekdays.numbered[place - 1] |= bit(number) }
        return DayRule(
            days: UInt32(truncatingIfNeeded: day.numbers.bits), fromEnd: day.hasLastDay ? 2 : 0, weekdays: weekdays,
            isEither: !day.beginsWithStar && !weekday.beginsWithStar)
    }

    /// Cron's weekdays begin with Sunday, the bits with Monday.
    private static func bit(_ weekday: Int) -> UInt8 { 1 << UInt8((weekday + 6) % 7) }
}
